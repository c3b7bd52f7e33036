//! Files of vectors: an answer stands once for all releases in a row that give it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::short_digest;
use crate::error::Result;
use crate::release::Release;

/// What a vector says of its case. Each part is kept as the reference wrote it.
#[derive(Deserialize)]
pub(crate) struct Parts {
    pub(crate) error: Option<Box<RawValue>>,
    pub(crate) hashes: Option<Box<RawValue>>,
    pub(crate) labels: Option<Box<RawValue>>,
    pub(crate) uid: Option<Box<RawValue>>,
    pub(crate) object: Option<Box<RawValue>>,
    pub(crate) hash: Option<Box<RawValue>>,
    pub(crate) json: Option<Box<RawValue>>,
}

/// An answer as it stands in a line: `"object":"e80c3f8d0a96654f","hash":2887413632`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Answer(Rc<str>);

impl Answer {
    pub(crate) fn new(parts: &Parts) -> Option<Answer> {
        let parts = [
            ("error", &parts.error),
            ("hashes", &parts.hashes),
            ("labels", &parts.labels),
            ("uid", &parts.uid),
            ("object", &parts.object),
            ("hash", &parts.hash),
            ("json", &parts.json),
        ];
        let fields: Vec<String> = parts
            .iter()
            .filter_map(|(key, value)| Some(format!(r#""{key}":{}"#, value.as_ref()?.get())))
            .collect();
        (!fields.is_empty()).then(|| Answer(fields.join(",").into()))
    }

    pub(crate) fn is_error(&self) -> bool {
        self.0.starts_with(r#""error":"#)
    }

    /// Whether it says the same: of an error only that it is one, for Go's words change with
    /// every release.
    pub(crate) fn says_what(&self, other: &Answer) -> bool {
        self == other || self.is_error() && other.is_error()
    }
}

/// What one release answered to one question, by case in the order of the corpus; a case that does
/// not apply has no answer.
#[derive(Default)]
pub(crate) struct Answers(pub(crate) Vec<(String, Answer)>);

impl Answers {
    /// The lines of a release's own file.
    pub(crate) fn lines(&self) -> Result<String> {
        let mut text = String::new();
        for (id, answer) in &self.0 {
            text.push_str(&line(id, "", &answer.0)?);
        }
        Ok(text)
    }

    /// What the manifest records: the digest of the lines without the words of errors.
    pub(crate) fn tally(&self) -> Result<Tally> {
        let (mut text, mut errors) = (String::new(), 0);
        for (id, answer) in &self.0 {
            let told = if answer.is_error() {
                errors += 1;
                r#""error":"""#
            } else {
                &answer.0
            };
            text.push_str(&line(id, "", told)?);
        }
        Ok(Tally {
            sha256: short_digest(text.as_bytes()),
            cases: self.0.len(),
            errors,
        })
    }

    /// The cases to which `now` says something else, with both lines.
    pub(crate) fn differences(&self, now: &Answers) -> Result<Vec<String>> {
        let before: HashMap<&str, &Answer> = self.0.iter().map(|(id, a)| (&**id, a)).collect();
        let after: HashMap<&str, &Answer> = now.0.iter().map(|(id, a)| (&**id, a)).collect();
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for (id, _) in self.0.iter().chain(&now.0) {
            let (old, new) = (before.get(&**id), after.get(&**id));
            let same = matches!((old, new), (Some(old), Some(new)) if old.says_what(new));
            if same || !seen.insert(id) {
                continue;
            }
            let show = |answer: Option<&&Answer>| match answer {
                Some(answer) => line(id, "", &answer.0).map(|line| shortened(line.trim_end())),
                None => Ok("nothing".to_owned()),
            };
            found.push(format!("{id}\n    - {}\n    + {}", show(old)?, show(new)?));
        }
        Ok(found)
    }

    /// Reads a release's own file.
    pub(crate) fn parse(text: &str) -> Result<Answers> {
        let mut answers = Vec::new();
        for line in text.lines() {
            let (id, answer) = parse_line(line)?;
            answers.extend(answer.map(|answer| (id, answer)));
        }
        Ok(Answers(answers))
    }
}

/// Enough of a line to see what is wrong with it.
fn shortened(line: &str) -> String {
    line.chars().take(240).collect()
}

/// What the manifest says of one release's answers to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) sha256: String,
    pub(crate) cases: usize,
    pub(crate) errors: usize,
}

impl Tally {
    /// Whether the release has such a thing at all.
    pub(crate) fn has_cases(&self) -> bool {
        self.cases > 0
    }
}

/// `vectors/<question>.jsonl`: what every release answered to one question.
#[derive(Default)]
pub(crate) struct QuestionFile {
    /// The releases that answer, by number.
    releases: Vec<String>,
    /// The cases in the order of the corpus, each with an answer per release.
    cases: Vec<(String, Vec<Option<Answer>>)>,
}

impl QuestionFile {
    /// Reads a file. `answering` are the releases that the manifest says answer; one that the
    /// manifest does not know yet, because the run that wrote it did not finish, is found in it.
    pub(crate) fn parse(text: &str, answering: &[&str]) -> Result<QuestionFile> {
        #[derive(Deserialize)]
        struct Since {
            since: String,
        }
        let mut sinces = Vec::new();
        for line in text.lines() {
            sinces.push(serde_json::from_str::<Since>(line)?.since);
        }
        let names = answering.iter().copied().chain(sinces.iter().map(|s| &**s));
        let mut by_number = BTreeMap::new();
        for name in names {
            by_number.insert(Release::parse(name)?, name.to_owned());
        }
        let releases: Vec<String> = by_number.into_values().collect();
        let places: HashMap<&str, usize> = (0..).zip(&releases).map(|(n, r)| (&**r, n)).collect();

        let mut cases: Vec<(String, Vec<Option<Answer>>)> = Vec::new();
        for (line, since) in text.lines().zip(&sinces) {
            let (id, answer) = parse_line(line)?;
            if cases.last().is_none_or(|(last, _)| *last != id) {
                cases.push((id, vec![None; releases.len()]));
            }
            if let (Some((_, row)), Some(place)) = (cases.last_mut(), places.get(&**since)) {
                row.iter_mut()
                    .skip(*place)
                    .for_each(|cell| cell.clone_from(&answer));
            }
        }
        Ok(QuestionFile { releases, cases })
    }

    /// What one release answered.
    pub(crate) fn answers(&self, release: &str) -> Answers {
        let Some(place) = self.releases.iter().position(|r| r == release) else {
            return Answers::default();
        };
        let told = |(id, row): &(String, Vec<Option<Answer>>)| {
            Some((id.clone(), row.get(place)?.clone()?))
        };
        Answers(self.cases.iter().filter_map(told).collect())
    }

    /// Puts a release's answers in place of its old ones; cases that `order`, the corpus, does not
    /// have are dropped. Without an answer the release goes.
    pub(crate) fn set(&mut self, release: &str, answers: &Answers, order: &[&str]) -> Result<()> {
        let number = Release::parse(release)?;
        let numbers = self.releases.iter().map(|r| Release::parse(r));
        let numbers: Vec<Release> = numbers.collect::<Result<_>>()?;
        let found = numbers.binary_search(&number);
        let place = match found {
            Ok(place) | Err(place) => place,
        };
        let mut rows: HashMap<String, Vec<Option<Answer>>> = self.cases.drain(..).collect();
        let mut new: HashMap<&str, &Answer> = answers.0.iter().map(|(id, a)| (&**id, a)).collect();
        let width = self.releases.len();
        for id in order {
            let answer = new.remove(id).cloned();
            let mut row = match rows.remove(*id) {
                Some(row) => row,
                None if answer.is_none() => continue,
                None => vec![None; width],
            };
            match (found.is_ok(), answers.0.is_empty()) {
                (true, false) => row[place] = answer,
                (false, false) => row.insert(place, answer),
                (true, true) => drop(row.remove(place)),
                (false, true) => {}
            }
            self.cases.push(((*id).to_owned(), row));
        }
        match (found.is_ok(), answers.0.is_empty()) {
            (false, false) => self.releases.insert(place, release.to_owned()),
            (true, true) => drop(self.releases.remove(place)),
            _ => {}
        }
        Ok(())
    }

    /// The file's text: a line where a release says what its predecessor did not.
    pub(crate) fn render(&self) -> Result<String> {
        let mut text = String::new();
        for (id, row) in &self.cases {
            let mut last: Option<&Answer> = None;
            for (release, answer) in self.releases.iter().zip(row) {
                let since = format!(r#""since":"{release}","#);
                match (last, answer) {
                    (None, None) => continue,
                    (Some(last), Some(answer)) if last.says_what(answer) => continue,
                    (_, Some(answer)) => text.push_str(&line(id, &since, &answer.0)?),
                    (Some(_), None) => text.push_str(&line(id, &since, r#""none":true"#)?),
                }
                last = answer.as_ref();
            }
        }
        Ok(text)
    }
}

fn line(id: &str, since: &str, answer: &str) -> Result<String> {
    let id = serde_json::to_string(id)?;
    Ok(format!("{{\"id\":{id},{since}{answer}}}\n"))
}

fn parse_line(line: &str) -> Result<(String, Option<Answer>)> {
    #[derive(Deserialize)]
    struct Id {
        id: String,
    }
    let id = serde_json::from_str::<Id>(line)?.id;
    Ok((id, Answer::new(&serde_json::from_str(line)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: &[&str] = &["a", "b", "c"];

    fn answers(lines: &[&str]) -> Answers {
        Answers::parse(&lines.join("\n")).unwrap()
    }

    fn file(releases: &[(&str, &[&str])]) -> QuestionFile {
        let mut file = QuestionFile::default();
        for (release, lines) in releases {
            file.set(release, &answers(lines), ORDER).unwrap();
        }
        file
    }

    #[test]
    fn an_answer_that_stays_has_one_line() {
        let file = file(&[
            (
                "v1.9.0",
                &[r#"{"id":"a","hash":1}"#, r#"{"id":"b","hash":2}"#],
            ),
            (
                "v1.10.0",
                &[r#"{"id":"a","hash":1}"#, r#"{"id":"c","hash":5}"#],
            ),
            (
                "v1.11.0",
                &[r#"{"id":"a","hash":3}"#, r#"{"id":"c","hash":5}"#],
            ),
        ]);
        let text = file.render().unwrap();
        assert_eq!(
            text,
            "{\"id\":\"a\",\"since\":\"v1.9.0\",\"hash\":1}\n\
             {\"id\":\"a\",\"since\":\"v1.11.0\",\"hash\":3}\n\
             {\"id\":\"b\",\"since\":\"v1.9.0\",\"hash\":2}\n\
             {\"id\":\"b\",\"since\":\"v1.10.0\",\"none\":true}\n\
             {\"id\":\"c\",\"since\":\"v1.10.0\",\"hash\":5}\n"
        );
        let read = QuestionFile::parse(&text, &["v1.9.0", "v1.10.0", "v1.11.0"]).unwrap();
        for release in ["v1.9.0", "v1.10.0", "v1.11.0"] {
            let (before, after) = (file.answers(release), read.answers(release));
            assert_eq!(before.lines().unwrap(), after.lines().unwrap());
        }
    }

    #[test]
    fn a_release_put_between_two_changes_neither() {
        let mut file = file(&[
            ("v1.9.0", &[r#"{"id":"a","hash":1}"#]),
            ("v1.9.2", &[r#"{"id":"a","hash":1}"#]),
        ]);
        file.set("v1.9.1", &answers(&[r#"{"id":"a","hash":7}"#]), ORDER)
            .unwrap();
        assert_eq!(
            file.render().unwrap(),
            "{\"id\":\"a\",\"since\":\"v1.9.0\",\"hash\":1}\n\
             {\"id\":\"a\",\"since\":\"v1.9.1\",\"hash\":7}\n\
             {\"id\":\"a\",\"since\":\"v1.9.2\",\"hash\":1}\n"
        );
        file.set("v1.9.1", &Answers::default(), ORDER).unwrap();
        assert_eq!(
            file.render().unwrap(),
            "{\"id\":\"a\",\"since\":\"v1.9.0\",\"hash\":1}\n"
        );
    }

    #[test]
    fn other_words_for_a_refusal_are_no_other_answer() {
        let file = file(&[
            ("v1.9.0", &[r#"{"id":"a","error":"no \"b\""}"#]),
            ("v1.10.0", &[r#"{"id":"a","error":"not b"}"#]),
        ]);
        let text = file.render().unwrap();
        assert_eq!(
            text,
            "{\"id\":\"a\",\"since\":\"v1.9.0\",\"error\":\"no \\\"b\\\"\"}\n"
        );
        let (old, new) = (file.answers("v1.9.0"), file.answers("v1.10.0"));
        assert_eq!(old.tally().unwrap(), new.tally().unwrap());
        assert!(old.differences(&new).unwrap().is_empty());
    }

    #[test]
    fn what_an_interrupted_run_left_is_read() {
        let text = "{\"id\":\"a\",\"since\":\"v1.9.0\",\"hash\":1}\n\
                    {\"id\":\"a\",\"since\":\"v1.9.1\",\"hash\":2}\n\
                    {\"id\":\"a\",\"since\":\"v1.9.2\",\"hash\":1}\n";
        let file = QuestionFile::parse(text, &["v1.9.0", "v1.9.2"]).unwrap();
        let lines = |release| file.answers(release).lines().unwrap();
        assert_eq!(lines("v1.9.2"), "{\"id\":\"a\",\"hash\":1}\n");
        assert_eq!(lines("v1.9.1"), "{\"id\":\"a\",\"hash\":2}\n");
    }

    #[test]
    fn a_difference_names_the_case_and_both_lines() {
        let old = answers(&[r#"{"id":"a","hash":1}"#, r#"{"id":"b","hash":2}"#]);
        let new = answers(&[
            r#"{"id":"a","hash":1}"#,
            r#"{"id":"b","error":"x"}"#,
            r#"{"id":"c","hash":3}"#,
        ]);
        assert_eq!(
            old.differences(&new).unwrap(),
            [
                "b\n    - {\"id\":\"b\",\"hash\":2}\n    + {\"id\":\"b\",\"error\":\"x\"}",
                "c\n    - nothing\n    + {\"id\":\"c\",\"hash\":3}",
            ]
        );
    }
}
