//! `docs/releases.md`: the catalogue as a page.

use std::fmt::Write as _;

use kubehash::report::{ReleaseReport, ReleaseResult};

const HEAD: &str = "\
# Releases

Every stable release of Kubernetes that is known, which code answers for it, and how we know. `kubehash releases -o markdown` prints this page, `cargo xtask docs` writes it.

Evidence is `built` where this very release was built and run; `by source` where every declaration that can influence an answer is that of a built release (`go-ref/classify` tells how that is found out); `by neighbours` where the release cannot be fetched, but the ones before and after it in its minor are one class; `unknown` where they are not: both answer then. *Classes* are the oldest releases with the same code, for the container hash in the views decoded, delivered and static; a bold one differs from the release above it. `kubehash releases --diff A B` tells by what.

";

/// The whole page.
pub(super) fn render(report: &ReleaseReport) -> String {
    let mut page = HEAD.to_owned();
    let summary = &report.summary;
    let _ = writeln!(
        page,
        "{} releases: {} built, {} by source, {} by neighbours, {} unknown.\n",
        summary.releases, summary.built, summary.by_source, summary.by_neighbours, summary.unknown
    );
    page.push_str("| release | Go | evidence | answered by | decoded | delivered | static |\n");
    page.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
    let mut above = [None; 3];
    for result in &report.results {
        let classes = ["decoded", "delivered", "static"].map(|view| class(result, view));
        let mut cells = Vec::new();
        for (class, above) in classes.iter().zip(&above) {
            cells.push(match class {
                None => "?".to_owned(),
                Some(class) if *above == Some(*class) => (*class).to_owned(),
                Some(class) => format!("**{class}**"),
            });
        }
        let mut by = result.class.clone().unwrap_or_default();
        if let Some(other) = &result.or_else {
            let _ = write!(by, ", {other}");
        }
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            result.release,
            result
                .toolchain
                .map_or("?", |toolchain| toolchain.trim_start_matches("go")),
            result.evidence.unwrap_or("none"),
            by,
            cells.join(" | ")
        );
        for (class, above) in classes.into_iter().zip(&mut above) {
            *above = class.or(*above);
        }
    }
    page
}

/// The class of the container hash in a view.
fn class<'a>(result: &'a ReleaseResult, view: &str) -> Option<&'a str> {
    result
        .questions
        .iter()
        .find(|entry| entry.question.strip_prefix("container-hash.") == Some(view))
        .and_then(|entry| entry.class.as_deref())
}
