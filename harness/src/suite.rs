//! All that is proved: every question to every release of the manifest, about every case.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::golden::{self, Manifest, Result, Tally, Vector, Vectors};
use crate::known_failures::KnownFailures;
use crate::question::{Case, Question, Source};
use crate::run::{Asked, Score, run};
use crate::testee::Testee;

/// A `golden/` folder, with what is read of it once.
pub struct Suite {
    root: PathBuf,
    /// Which releases answer what.
    pub manifest: Manifest,
    /// Everything that is asked.
    pub questions: Vec<Question>,
    vectors: BTreeMap<String, OnceLock<Result<Vectors>>>,
    /// By source; what releases have alike is read once.
    cases: Mutex<BTreeMap<String, Arc<Vec<Case>>>>,
}

impl Suite {
    /// Reads the manifest; the rest is read once it is asked for.
    ///
    /// # Errors
    /// When it is missing or damaged.
    pub fn read(root: &Path) -> Result<Suite> {
        let manifest = Manifest::read(root)?;
        let questions = golden::questions(&manifest)?;
        let vectors = questions.iter().map(|q| (q.name.clone(), OnceLock::new()));
        Ok(Suite {
            root: root.to_owned(),
            vectors: vectors.collect(),
            questions,
            manifest,
            cases: Mutex::default(),
        })
    }

    /// Every question that was put to a release, also those that it has no answer to; and about
    /// random objects where it made some.
    pub fn all(&self) -> Vec<Asked<'_>> {
        let mut all = Vec::new();
        for entry in &self.manifest.releases {
            for question in &self.questions {
                let asked = Asked {
                    release: &entry.release,
                    question,
                    random: false,
                };
                if entry.answers.contains_key(&question.name) {
                    all.push(asked);
                }
                if entry.random.contains_key(&question.name) {
                    all.push(Asked {
                        random: true,
                        ..asked
                    });
                }
            }
        }
        all
    }

    /// What the manifest says of the answers; nothing if the release was not asked.
    pub fn tally(&self, asked: Asked<'_>) -> Option<&Tally> {
        let entries = &self.manifest.releases;
        let entry = entries
            .iter()
            .find(|entry| entry.release == asked.release)?;
        let tallies = if asked.random {
            &entry.random
        } else {
            &entry.answers
        };
        tallies.get(&asked.question.name)
    }

    /// The cases that a question is about.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn cases(&self, asked: Asked<'_>) -> Result<Arc<Vec<Case>>> {
        let source = match asked.random {
            true => Source::Random(asked.release),
            false => asked.question.source(),
        };
        let key = format!("{source:?}");
        let mut known = self.cases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cases) = known.get(&key) {
            return Ok(Arc::clone(cases));
        }
        let cases = Arc::new(golden::cases(&self.root, source)?);
        known.insert(key, Arc::clone(&cases));
        Ok(cases)
    }

    /// The vectors, as many as the manifest says.
    ///
    /// # Errors
    /// When they cannot be read, or are more or fewer.
    pub fn vectors(&self, asked: Asked<'_>) -> Result<Vec<Vector>> {
        let name = &asked.question.name;
        let Some(tally) = self.tally(asked).filter(|tally| tally.cases > 0) else {
            return Ok(Vec::new());
        };
        let vectors: Vec<Vector> = if asked.random {
            let told = golden::random_vectors(&self.root, asked.release, name)?;
            told.into_iter().map(|told| told.vector).collect()
        } else {
            let file = self.vectors.get(name).ok_or("no such question")?;
            let file = file
                .get_or_init(|| Vectors::read(&self.root, name, &self.manifest))
                .as_ref()?;
            let told = file.of(asked.release).into_iter();
            told.map(|told| told.vector.clone()).collect()
        };
        if vectors.len() != tally.cases {
            return Err(format!(
                "{asked}: {} vectors; the manifest says {}",
                vectors.len(),
                tally.cases
            ));
        }
        Ok(vectors)
    }

    /// Asks, and judges the answers.
    ///
    /// # Errors
    /// When vectors and cases cannot be read or do not belong together.
    pub fn judge(
        &self,
        asked: Asked<'_>,
        testee: &dyn Testee,
        known: &KnownFailures,
    ) -> Result<Score> {
        let vectors = self.vectors(asked)?;
        run(asked, &vectors, &self.cases(asked)?, testee, known)
    }

    /// The subjects of the questions.
    pub fn subjects(&self) -> BTreeSet<&str> {
        self.questions.iter().map(|q| &*q.subject).collect()
    }
}
