//! The results as a table: a row per container, and one for the workload.

use kubehash::release::Release;
use kubehash::report::{CauseResult, ContainerPlan, HopResult, PlanResult};

use super::super::args::PlanOutput;
use super::super::console::place;
use super::super::table::{Between, Table};

/// One thing that something becomes of.
struct Row<'a> {
    container: &'a str,
    /// What it is: a type of container, `rollout` or `static-pod`.
    what: &'a str,
    hop: &'a HopResult,
    verdict: &'static str,
    step: &'a str,
    from: &'a str,
    to: &'a str,
    /// In words, the first one foremost.
    causes: Vec<String>,
}

/// A row per container, workload and hop. Where that is wider than what it is printed on, a block
/// per object, with the causes under the rows.
pub(super) fn table(results: &[PlanResult], output: PlanOutput, width: Option<usize>) -> String {
    if results.is_empty() {
        return String::new();
    }
    let several = results.iter().any(|result| result.hops.len() > 1);
    let objects: Vec<(&PlanResult, Vec<Row<'_>>)> = results
        .iter()
        .map(|result| (result, rows(result)))
        .collect();
    let wide = side_by_side(&objects, several, output);
    if width.is_none_or(|width| wide.width() <= width) {
        return wide.to_string();
    }
    blocks(&objects, several, output)
}

fn side_by_side(
    objects: &[(&PlanResult, Vec<Row<'_>>)],
    several: bool,
    output: PlanOutput,
) -> Table {
    let about = ["DOCUMENT", "KIND", "NAMESPACE", "NAME"].into_iter();
    let mut table = Table::new(about.chain(headings("CONTAINER", several)).chain(["CAUSE"]));
    for (result, rows) in objects {
        let place = place(&result.source, Some(result.document));
        let namespace = or_dash(&result.namespace);
        for row in rows {
            let causes = row.causes(output).join("; ");
            let hop = row.hop();
            let about = [&*place, &result.kind, namespace, &result.name].into_iter();
            let cells = row.cells(row.container, several.then_some(&hop));
            table.row(about.chain(cells).chain([or_dash(&causes)]));
        }
    }
    table
}

fn blocks(objects: &[(&PlanResult, Vec<Row<'_>>)], several: bool, output: PlanOutput) -> String {
    let mut table = Table::new(headings("  CONTAINER", several));
    let mut between = Between::default();
    for (result, rows) in objects {
        let place = place(&result.source, Some(result.document));
        let slash = if result.namespace.is_empty() { "" } else { "/" };
        between.line(
            &table,
            &format!(
                "{place}: {} {}{slash}{}",
                result.kind, result.namespace, result.name
            ),
        );
        for row in rows {
            let name = format!("  {}", row.container);
            let hop = row.hop();
            table.row(row.cells(&name, several.then_some(&hop)));
            for cause in row.causes(output) {
                between.line(&table, &format!("    {cause}"));
            }
        }
    }
    between.among(&table)
}

fn headings(container: &'static str, several: bool) -> impl Iterator<Item = &'static str> {
    let hop = several.then_some("HOP");
    [container, "TYPE"]
        .into_iter()
        .chain(hop)
        .chain(["VERDICT", "STEP", "FROM", "TO"])
}

impl Row<'_> {
    fn hop(&self) -> String {
        format!("{}→{}", self.hop.from, self.hop.to)
    }

    fn cells<'a>(
        &'a self,
        container: &'a str,
        hop: Option<&'a String>,
    ) -> impl Iterator<Item = &'a str> {
        [container, self.what]
            .into_iter()
            .chain(hop.map(String::as_str))
            .chain([self.verdict, self.step, self.from, self.to])
    }

    /// The first cause and how many more there are; all of them where there is room.
    fn causes(&self, output: PlanOutput) -> Vec<String> {
        match (self.causes.as_slice(), output) {
            ([first, others @ ..], PlanOutput::Table) if !others.is_empty() => {
                vec![format!("{first} (and {} more)", others.len())]
            }
            (causes, _) => causes.to_vec(),
        }
    }
}

fn rows(result: &PlanResult) -> Vec<Row<'_>> {
    result.hops.iter().flat_map(rows_of_hop).collect()
}

fn rows_of_hop(hop: &HopResult) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = hop
        .containers
        .iter()
        .map(|container| of_container(hop, container))
        .collect();
    rows.extend(hop.rollout.map(|rollout| of_rollout(hop, rollout)));
    if hop.static_pod_recreated == Some(true) {
        rows.push(Row {
            container: "-",
            what: "static-pod",
            hop,
            verdict: "is made anew",
            step: "kubelet",
            from: "-",
            to: "-",
            causes: std::iter::once("the kubelet gives it another UID".to_owned())
                .chain(words(hop, &hop.causes))
                .collect(),
        });
    }
    rows
}

fn of_container<'a>(hop: &'a HopResult, container: &'a ContainerPlan) -> Row<'a> {
    let verdict = match (&container.from_hash, &container.to_hash) {
        _ if container.restarts => "restarts",
        (None, Some(_)) => "appears",
        (Some(_), None) => "disappears",
        _ => "stays",
    };
    let stays = container.stays_because.map(str::to_owned);
    Row {
        container: &container.name,
        what: container.container_type,
        hop,
        verdict,
        step: container.step.unwrap_or("-"),
        from: container.from_hash.as_deref().unwrap_or("-"),
        to: container.to_hash.as_deref().unwrap_or("-"),
        causes: stays
            .into_iter()
            .chain(words(hop, &container.causes))
            .collect(),
    }
}

fn of_rollout<'a>(hop: &'a HopResult, rollout: &str) -> Row<'a> {
    let renamed = hop.renamed.as_ref();
    let (verdict, why) = match rollout {
        "full" => ("rolls", None),
        "partial" => ("rolls in part", None),
        "on-delete" => (
            "rolls on delete",
            Some("Pods are replaced once somebody deletes them"),
        ),
        "new-revision-only" => (
            "stays",
            Some("a new revision, for which no Pod is replaced"),
        ),
        _ => (
            "stays",
            renamed.map(|_| "no Pod is replaced, only the next ReplicaSet is named so"),
        ),
    };
    Row {
        container: "-",
        what: "rollout",
        hop,
        verdict,
        step: if hop.rolls() { "control-plane" } else { "-" },
        from: renamed.map_or("-", |renamed| &renamed.from),
        to: renamed.map_or("-", |renamed| &renamed.to),
        causes: why
            .map(str::to_owned)
            .into_iter()
            .chain(words(hop, &hop.causes))
            .collect(),
    }
}

/// Each cause as `path: reason (since v1.31.14)`.
fn words<'a>(hop: &'a HopResult, causes: &'a [CauseResult]) -> impl Iterator<Item = String> + 'a {
    let way = if is_downgrade(hop) { "up to" } else { "since" };
    causes.iter().map(move |cause| {
        let colon = if cause.path.is_empty() { "" } else { ": " };
        let since = match &cause.since {
            Some(since) => format!(" ({way} {since})"),
            None => String::new(),
        };
        format!("{}{colon}{}{since}", cause.path, cause.reason)
    })
}

fn is_downgrade(hop: &HopResult) -> bool {
    let release = |text: &str| text.parse::<Release>().ok();
    release(&hop.to) < release(&hop.from)
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

#[cfg(test)]
mod tests {
    use kubehash::report::Renamed;

    use super::*;

    fn cause(path: &str, since: Option<&str>, reason: &str) -> CauseResult {
        CauseResult {
            path: path.into(),
            since: since.map(str::to_owned),
            reason: reason.into(),
        }
    }

    fn container(
        from: Option<&str>,
        to: Option<&str>,
        step: Option<&'static str>,
    ) -> ContainerPlan {
        ContainerPlan {
            name: "web".into(),
            container_type: "container",
            restarts: step.is_some(),
            step,
            from_hash: from.map(str::to_owned),
            to_hash: to.map(str::to_owned),
            causes: Vec::new(),
            stays_because: None,
        }
    }

    fn result(from: &str, to: &str, containers: Vec<ContainerPlan>) -> PlanResult {
        let hop = HopResult {
            from: from.into(),
            to: to.into(),
            answers_for_from: from.into(),
            answers_for_to: to.into(),
            as_: "api",
            containers,
            rollout: None,
            renamed: None,
            causes: Vec::new(),
            static_pod_recreated: None,
            evidence: "built",
        };
        PlanResult {
            source: "web.yaml".into(),
            document: 1,
            kind: "Deployment".into(),
            namespace: "shop".into(),
            name: "web".into(),
            api_version: "apps/v1".into(),
            hops: vec![hop],
        }
    }

    fn plain(text: &str) -> String {
        text.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "")
    }

    #[test]
    fn what_is_too_wide_is_told_object_by_object_with_causes_under_their_rows() {
        let mut restarts = container(Some("1"), Some("2"), Some("kubelet"));
        restarts.causes = vec![
            cause("spec.a", Some("v1.14.10"), "appears"),
            cause("", None, "otherwise"),
        ];
        let results = [result("v1.13.12", "v1.14.10", vec![restarts])];
        let shown = |output, width| plain(&table(&results, output, Some(width)));
        assert_eq!(
            shown(PlanOutput::Table, 80),
            "  CONTAINER  TYPE       VERDICT   STEP     FROM  TO
web.yaml#1: Deployment shop/web
  web        container  restarts  kubelet  1     2
    spec.a: appears (since v1.14.10) (and 1 more)
"
        );
        assert!(
            shown(PlanOutput::Wide, 80)
                .ends_with("    spec.a: appears (since v1.14.10)\n    otherwise\n")
        );
        assert!(shown(PlanOutput::Table, 200).starts_with("DOCUMENT"));
    }

    #[test]
    fn each_rollout_has_its_verdict() {
        let mut result = result("v1.14.10", "v1.13.12", Vec::new());
        let hop = &mut result.hops[0];
        hop.renamed = Some(Renamed {
            from: "web-1".into(),
            to: "web-2".into(),
        });
        hop.causes = vec![cause("spec.a", Some("v1.13.12"), "is gone")];
        for (rollout, cells, cause) in [
            (
                "full",
                ["rolls", "control-plane"],
                "spec.a: is gone (up to v1.13.12)",
            ),
            (
                "partial",
                ["rolls in part", "control-plane"],
                "spec.a: is gone (up to v1.13.12)",
            ),
            (
                "on-delete",
                ["rolls on delete", "-"],
                "Pods are replaced once somebody deletes them",
            ),
            (
                "new-revision-only",
                ["stays", "-"],
                "a new revision, for which no Pod is replaced",
            ),
            (
                "none",
                ["stays", "-"],
                "no Pod is replaced, only the next ReplicaSet is named so",
            ),
        ] {
            result.hops[0].rollout = Some(rollout);
            let rows = rows(&result);
            assert_eq!(rows.len(), 1, "{rollout}");
            assert_eq!([rows[0].verdict, rows[0].step], cells, "{rollout}");
            assert_eq!([rows[0].from, rows[0].to], ["web-1", "web-2"]);
            assert_eq!(rows[0].causes[0], cause, "{rollout}");
        }
    }

    #[test]
    fn a_container_that_one_release_drops_appears_or_disappears() {
        let containers = vec![
            container(None, Some("1"), None),
            container(Some("1"), None, None),
            container(Some("1"), Some("1"), None),
        ];
        let result = result("v1.24.17", "v1.25.16", containers);
        let verdicts: Vec<&str> = rows(&result).iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, ["appears", "disappears", "stays"]);
    }
}
