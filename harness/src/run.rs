//! A question about every case, put to a testee, and the answers held against vectors.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::golden::{Result, Vector, mask_uid, short_digest, uid_of};
use crate::known_failures::KnownFailures;
use crate::question::{self, Case, Question};
use crate::testee::{Broken, Testee};

/// What became of the cases of one run. The sum is the denominator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Answers that equal their vectors.
    pub passed: usize,
    /// Answers that do not, in words.
    pub failed: Vec<String>,
    /// Cases that have no vector because they do not apply, and that the testee skipped as well.
    pub skipped: usize,
    /// Questions on which the testee broke, in words.
    pub panicked: Vec<String>,
}

impl Score {
    /// All cases.
    pub fn total(&self) -> usize {
        self.passed + self.failed.len() + self.skipped + self.panicked.len()
    }

    /// Whether nothing failed and something passed.
    pub fn is_green(&self) -> bool {
        self.failed.is_empty() && self.panicked.is_empty() && self.passed > 0
    }

    /// Adds another run's cases.
    pub fn add(&mut self, other: Score) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
        self.skipped += other.skipped;
        self.panicked.extend(other.panicked);
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} cases: {} passed, {} failed, {} skipped, {} panicked",
            self.total(),
            self.passed,
            self.failed.len(),
            self.skipped,
            self.panicked.len()
        )?;
        const SHOWN: usize = 40;
        let bad = self.panicked.iter().chain(&self.failed);
        for line in bad.clone().take(SHOWN) {
            write!(f, "\n  {line}")?;
        }
        match bad.count().checked_sub(SHOWN) {
            Some(more) if more > 0 => write!(f, "\n  … and {more} more"),
            _ => Ok(()),
        }
    }
}

/// What a testee may answer.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// Must be the request's.
    pub id: Option<String>,
    /// Container hashes.
    pub containers: Option<Vec<ContainerAnswer>>,
    /// An object.
    pub object: Option<Box<RawValue>>,
    /// Labels of a Pod template.
    pub labels: Option<Vec<Option<String>>>,
    /// One hash.
    pub hash: Option<u64>,
    /// JSON made of YAML.
    pub json: Option<String>,
    /// Refused, and why.
    pub error: Option<String>,
    /// Does not apply, and why.
    pub skipped: Option<String>,
}

/// A container in an answer.
#[derive(Debug, Deserialize)]
pub struct ContainerAnswer {
    /// Its hash.
    pub hash: u64,
}

/// A question to one release.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// `v1.30.14`
    pub release: &'a str,
    /// What is asked.
    pub question: &'a Question,
    /// Whether it is asked about random objects.
    pub random: bool,
}

impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let random = if self.random { "random/" } else { "" };
        write!(f, "{}/{random}{}", self.release, self.question.name)
    }
}

/// Puts a question about all cases to a testee.
///
/// # Errors
/// When the vectors and the cases do not belong together: a vector without a case, or twice.
pub fn run(
    asked: Asked<'_>,
    vectors: &[Vector],
    cases: &[Case],
    testee: &dyn Testee,
    known: &KnownFailures,
) -> Result<Score> {
    let name = &*asked.to_string();
    let mut expected: HashMap<&str, &Vector> = HashMap::new();
    for vector in vectors {
        if expected.insert(&vector.id, vector).is_some() {
            return Err(format!("{name}: {} stands twice", vector.id));
        }
    }
    let mut score = Score::default();
    for case in cases {
        let vector = expected.remove(&*case.id);
        let request = asked.question.request(asked.release, case);
        let request = request.ok_or_else(|| format!("{name}: {} asks nothing", case.id))?;
        let outcome = match testee.answer(&request) {
            Ok(line) => compare(asked.question, case, vector, &line),
            Err(Broken::Panicked(words)) => {
                score.panicked.push(format!("{name} {}: {words}", case.id));
                continue;
            }
        };
        match (outcome, known.contains(name, &case.id)) {
            (Outcome::Skipped, false) => score.skipped += 1,
            (Outcome::Equal, false) => score.passed += 1,
            (Outcome::Different(why), false) => {
                score.failed.push(format!("{name} {}: {why}", case.id))
            }
            (Outcome::Different(_), true) => score.skipped += 1,
            (Outcome::Equal | Outcome::Skipped, true) => score.failed.push(format!(
                "{name} {}: is listed as a known failure, but passes",
                case.id
            )),
        }
    }
    if let Some(id) = expected.keys().next() {
        return Err(format!("{name}: vector {id} belongs to no case"));
    }
    Ok(score)
}

enum Outcome {
    Equal,
    Skipped,
    Different(String),
}

fn compare(question: &Question, case: &Case, vector: Option<&Vector>, line: &str) -> Outcome {
    let different = |why: String| Outcome::Different(why);
    let answer: Answer = match serde_json::from_str(line) {
        Ok(answer) => answer,
        Err(e) => return different(format!("the answer is not an answer: {e}: {line}")),
    };
    if answer.id.as_deref() != Some(&case.id) {
        return different(format!("the answer is to {:?}", answer.id));
    }
    let Some(vector) = vector else {
        return match answer.skipped {
            Some(_) => Outcome::Skipped,
            None => different(format!(
                "no such question in the real code, answered {line}"
            )),
        };
    };
    if let Some(why) = &answer.skipped {
        return different(format!("skipped: {why}"));
    }
    match (&vector.error, &answer.error) {
        (Some(_), Some(_)) => return Outcome::Equal,
        (Some(go), None) => {
            return different(format!(
                "Go refuses it ({go}), answered {}",
                shortened(line)
            ));
        }
        (None, Some(error)) => return different(format!("refused: {error}")),
        (None, None) => {}
    }
    let hashes = answer
        .containers
        .map(|all| all.iter().map(|c| c.hash).collect::<Vec<_>>());
    if let Some(want) = &vector.hashes
        && hashes.as_ref() != Some(want)
    {
        return different(format!("hashes {want:?} expected, {hashes:?} answered"));
    }
    if vector.labels.is_some() && vector.labels != answer.labels {
        return different(format!(
            "labels {:?} expected, {:?} answered",
            vector.labels, answer.labels
        ));
    }
    if let Some(want) = &vector.object {
        let content = match question.is_answered_in_full() {
            true => question::content(line).unwrap_or_default(),
            false => None,
        };
        let object = answer.object.as_ref().map(|object| object.get());
        let text = content.as_deref().or(object);
        if let Some(uid) = &vector.uid
            && text.and_then(uid_of).as_ref() != Some(uid)
        {
            return different(format!("UID {uid} expected, answered {text:?}"));
        }
        let got = text.map(|text| match &vector.uid {
            Some(uid) => short_digest(mask_uid(text, uid).as_bytes()),
            None => short_digest(text.as_bytes()),
        });
        if got.as_ref() != Some(want) {
            let object = text.unwrap_or("nothing");
            return different(format!("object {want} expected, answered {object}"));
        }
    }
    if vector.hash.is_some() && vector.hash != answer.hash {
        return different(format!(
            "hash {:?} expected, {:?} answered",
            vector.hash, answer.hash
        ));
    }
    if vector.json.is_some() && vector.json != answer.json {
        return different(format!(
            "{:?} expected, {:?} answered",
            vector.json, answer.json
        ));
    }
    if vector.parts().is_empty() {
        return different("the vector expects nothing".into());
    }
    Outcome::Equal
}

fn shortened(line: &str) -> String {
    const MOST: usize = 300;
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
