//! How much of Kubernetes' types the corpus exercises: every field that JSON can reach from a Pod
//! template, at every place, in every state.
//!
//! A *place* is a way of keys to a field, `spec.initContainers.env.name`; the same field
//! (`EnvVar.Name`) stands at many, and rules for one of them say nothing of the others. The
//! *states* are: *absent*, where a value of the type stands without the key; *empty*, where the key
//! holds `null`, `""`, `0`, `false`, `[]`, `{}` or the zero of a type with its own JSON; *set*
//! otherwise.
//!
//! An object that a release refuses covers nothing there, and neither does one that serde_json
//! cannot hold (lone surrogates, numbers out of range).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use kubehash::schema::{Field, Kind, Schema, Special, TypeId};
use serde_json::Value;

use crate::golden::{Case, Result};
use crate::run::{Answer, Asked};
use crate::suite::Suite;
use crate::testee::Testee;

/// What can be said of a field where a value of its type stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The key is not there.
    Absent,
    /// The key holds nothing, or the zero of the field's type.
    Empty,
    /// Anything else.
    Set,
}

impl State {
    const ALL: [State; 3] = [State::Absent, State::Empty, State::Set];
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Absent => "absent",
            State::Empty => "empty",
            State::Set => "set",
        })
    }
}

/// A state of a field that no object has at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The Go names of type and field: `Container.Image`.
    pub field: String,
    /// The keys that lead there: `spec.initContainers.image`.
    pub place: String,
    /// The state.
    pub state: State,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at {}", self.field, self.state, self.place)
    }
}

/// How many states there are, and how many of them were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// States that some object has.
    pub met: usize,
    /// All states: three a field, or three a place.
    pub total: usize,
}

impl Tally {
    fn of<'a>(states: impl Iterator<Item = &'a BTreeSet<State>>) -> Tally {
        states.fold(Tally::default(), |tally, met| Tally {
            met: tally.met + met.len(),
            total: tally.total + State::ALL.len(),
        })
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded down: 100 is said of nothing less.
        let percent = (self.met * 100).checked_div(self.total).unwrap_or(0);
        write!(f, "{}/{} {percent} %", self.met, self.total)
    }
}

/// A field at a place, and the places below it.
#[derive(Debug)]
struct Place {
    field: String,
    key: Box<str>,
    ty: TypeId,
    met: BTreeSet<State>,
    below: Vec<Place>,
}

impl Place {
    /// The places below a type; those of embedded structs stand among them. `above` are the types
    /// on the way here: a type that holds itself is entered once.
    fn below(schema: &Schema, ty: TypeId, above: &mut Vec<TypeId>) -> Vec<Place> {
        let mut places = Vec::new();
        let ty = held(schema, ty);
        if schema[ty].special.is_some() || above.contains(&ty) {
            return places;
        }
        above.push(ty);
        for field in schema.fields(ty) {
            let Some(json) = &field.json else { continue };
            let below = Place::below(schema, field.ty, above);
            if json.is_inlined() {
                places.extend(below);
                continue;
            }
            places.push(Place {
                field: name(schema, ty, field),
                key: json.key.clone(),
                ty: field.ty,
                met: BTreeSet::new(),
                below,
            });
        }
        above.pop();
        places
    }

    /// Takes into account what an object holds here.
    fn meet(&mut self, schema: &Schema, object: &Value) {
        let value = object.get(&*self.key);
        self.met.insert(state(schema, self.ty, value));
        if let Some(value) = value {
            self.meet_below(schema, value);
        }
    }

    fn meet_below(&mut self, schema: &Schema, value: &Value) {
        let mut objects = Vec::new();
        structs(schema, self.ty, value, &mut objects);
        for object in objects {
            for place in &mut self.below {
                place.meet(schema, object);
            }
        }
    }
}

/// What is left of a type without pointers, lists and maps.
fn held(schema: &Schema, ty: TypeId) -> TypeId {
    match schema[ty].kind {
        Kind::Pointer(elem) | Kind::Slice(elem) | Kind::Array(_, elem) | Kind::Map(_, elem) => {
            held(schema, elem)
        }
        _ => ty,
    }
}

/// `Container.Image`; without the package, which moved over the releases.
fn name(schema: &Schema, ty: TypeId, field: &Field) -> String {
    let ty = &schema[ty].name;
    let ty = ty.rsplit_once('.').map_or(&**ty, |(_, name)| name);
    format!("{ty}.{}", field.name)
}

/// The objects of a struct type that a value of type `ty` holds.
fn structs<'v>(schema: &Schema, ty: TypeId, value: &'v Value, found: &mut Vec<&'v Value>) {
    match (&schema[ty].kind, value) {
        (Kind::Pointer(elem), _) => structs(schema, *elem, value, found),
        (Kind::Slice(elem) | Kind::Array(_, elem), Value::Array(items)) => {
            for item in items {
                structs(schema, *elem, item, found);
            }
        }
        (Kind::Map(_, elem), Value::Object(members)) => {
            for member in members.values() {
                structs(schema, *elem, member, found);
            }
        }
        (Kind::Struct(_), Value::Object(_)) => found.push(value),
        _ => {}
    }
}

fn state(schema: &Schema, ty: TypeId, value: Option<&Value>) -> State {
    let empty = match value {
        None => return State::Absent,
        Some(Value::Null) => true,
        Some(Value::Bool(value)) => !value,
        Some(Value::Number(number)) => number.as_f64() == Some(0.0),
        Some(Value::String(text)) => text.is_empty() || is_zero(schema, ty, text),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(members)) => members.is_empty(),
    };
    if empty { State::Empty } else { State::Set }
}

/// Whether the text is the zero of a type that has its own JSON.
fn is_zero(schema: &Schema, ty: TypeId, text: &str) -> bool {
    match schema[held(schema, ty)].special {
        Some(Special::Quantity) => text == "0",
        Some(Special::Time) => text == "0001-01-01T00:00:00Z",
        _ => false,
    }
}

/// The places of one release, and what the corpus has at them.
#[derive(Debug)]
pub struct Coverage<'s> {
    schema: &'s Schema,
    template: TypeId,
    pod: TypeId,
    places: Vec<Place>,
}

impl<'s> Coverage<'s> {
    /// What those of the cases cover that a release answered.
    ///
    /// # Errors
    /// When the schema holds no Pod template.
    pub fn of(
        schema: &'s Schema,
        cases: &[Case],
        answered: &BTreeSet<String>,
    ) -> Result<Coverage<'s>> {
        let mut coverage = Coverage::none(schema)
            .ok_or_else(|| format!("{}: the schema holds no Pod template", schema.release()))?;
        for case in cases.iter().filter(|case| answered.contains(&case.id)) {
            if let Some(Ok(object)) = case.object().map(serde_json::from_str) {
                coverage.add(&object);
            }
        }
        Ok(coverage)
    }

    fn none(schema: &'s Schema) -> Option<Coverage<'s>> {
        let holder = schema.kind("v1", "PodTemplate")?.versioned;
        let (_, field) = schema.field(holder, "Template")?;
        Some(Coverage {
            schema,
            template: field.ty,
            pod: schema.kind("v1", "Pod")?.versioned,
            places: Place::below(schema, field.ty, &mut Vec::new()),
        })
    }

    /// Takes an object into account: a workload's Pod template, what a Pod has in common with one,
    /// or a container without a Pod.
    fn add(&mut self, object: &Value) {
        if object.get("kind").is_none() {
            return self.add_pod(&serde_json::json!({"spec": {"containers": [object]}}));
        }
        let word = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
        match self.schema.kind(word("apiVersion"), word("kind")) {
            Some(kind) if kind.versioned == self.pod => self.add_pod(object),
            Some(kind) => self.add_templates(kind.versioned, object),
            None => {}
        }
    }

    fn add_pod(&mut self, pod: &Value) {
        for place in &mut self.places {
            if let Some(value) = pod.get(&*place.key) {
                place.meet_below(self.schema, value);
            }
        }
    }

    fn add_templates(&mut self, ty: TypeId, value: &Value) {
        if ty == self.template && value.is_object() {
            for place in &mut self.places {
                place.meet(self.schema, value);
            }
            return;
        }
        if let Kind::Pointer(elem) = self.schema[ty].kind {
            return self.add_templates(elem, value);
        }
        for field in self.schema.fields(ty) {
            let key = field.json.as_ref().map(|json| &*json.key);
            if let Some(value) = key.and_then(|key| value.get(key)) {
                self.add_templates(field.ty, value);
            }
        }
    }

    /// The states of fields, wherever they stand.
    pub fn fields(&self) -> Tally {
        let mut fields: BTreeMap<&str, BTreeSet<State>> = BTreeMap::new();
        self.visit(&mut |_, place| {
            fields.entry(&place.field).or_default().extend(&place.met);
        });
        Tally::of(fields.values())
    }

    /// The states of fields, each place for itself.
    pub fn places(&self) -> Tally {
        let mut places = Vec::new();
        self.visit(&mut |_, place| places.push(&place.met));
        Tally::of(places.into_iter())
    }

    /// What was not met, in the order of the fields.
    pub fn missing(&self) -> Vec<Gap> {
        let mut gaps = Vec::new();
        self.visit(&mut |path, place| {
            let unmet = State::ALL
                .into_iter()
                .filter(|state| !place.met.contains(state));
            gaps.extend(unmet.map(|state| Gap {
                field: place.field.clone(),
                place: path.to_owned(),
                state,
            }));
        });
        gaps
    }

    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&str, &'a Place)) {
        fn visit<'a>(above: &str, places: &'a [Place], visitor: &mut dyn FnMut(&str, &'a Place)) {
            for place in places {
                let path = match above {
                    "" => place.key.to_string(),
                    above => format!("{above}.{}", place.key),
                };
                visitor(&path, place);
                visit(&path, &place.below, visitor);
            }
        }
        visit("", &self.places, visitor);
    }
}

/// The questions that tell which objects a release answers; an answer to one of them is enough.
const QUESTIONS: [&str; 2] = ["container-hash.delivered", "deep-hash.versioned.delivered"];

fn questions<'a>(suite: &'a Suite, release: &'a str) -> impl Iterator<Item = Asked<'a>> {
    let questions = suite.questions.iter();
    questions
        .filter(|question| QUESTIONS.contains(&&*question.name))
        .map(move |question| Asked {
            release,
            question,
            random: false,
        })
}

/// The ids of the objects that a release answered, by its vectors.
///
/// # Errors
/// When the vectors cannot be read.
pub fn answered(suite: &Suite, release: &str) -> Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for asked in questions(suite, release) {
        let vectors = suite.vectors(asked)?.into_iter();
        let answered = vectors.filter(|vector| vector.error.is_none());
        ids.extend(answered.map(|vector| vector.id));
    }
    Ok(ids)
}

/// The ids of the objects that a testee answers as a release: what new cases will cover, before
/// there are vectors for them.
///
/// # Errors
/// When the testee panics or does not speak the protocol.
pub fn answered_by(testee: &dyn Testee, suite: &Suite, release: &str) -> Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for asked in questions(suite, release) {
        for case in suite.cases(asked)?.iter() {
            let request = asked.question.request(release, case).unwrap_or_default();
            let line = testee
                .answer(&request)
                .map_err(|broken| format!("{asked} {}: {broken:?}", case.id))?;
            let answer: Answer =
                serde_json::from_str(&line).map_err(|e| format!("{asked} {}: {e}", case.id))?;
            if answer.error.is_none() && answer.skipped.is_none() {
                ids.insert(case.id.clone());
            }
        }
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    fn case(object: &str) -> Case {
        let object = RawValue::from_string(object.into()).unwrap();
        Case {
            id: "case".into(),
            about: String::new(),
            members: [("object".to_owned(), object)].into(),
        }
    }

    /// Which states an object shows of the field at a place of v1.30.14.
    fn met(object: &str, place: &str) -> Vec<State> {
        let schema = Schema::load("v1.30.14".parse().unwrap()).unwrap();
        let answered = BTreeSet::from(["case".to_owned()]);
        let coverage = Coverage::of(&schema, &[case(object)], &answered).unwrap();
        let mut met = None;
        coverage.visit(&mut |path, at| {
            if path == place {
                met = Some(at.met.iter().copied().collect());
            }
        });
        met.unwrap()
    }

    fn met_in_container(container: &str, place: &str) -> Vec<State> {
        met(container, &format!("spec.containers.{place}"))
    }

    #[test]
    fn a_field_is_absent_empty_or_set() {
        for (container, state) in [
            ("{}", State::Absent),
            (r#"{"tty":null}"#, State::Empty),
            (r#"{"tty":false}"#, State::Empty),
            (r#"{"tty":true}"#, State::Set),
        ] {
            assert_eq!(met_in_container(container, "tty"), [state], "{container}");
        }
        for empty in ["{}", "[]", "null"] {
            let container = format!(r#"{{"env":{empty}}}"#);
            assert_eq!(met_in_container(&container, "env"), [State::Empty]);
        }
    }

    #[test]
    fn types_with_their_own_json_have_their_own_zero() {
        let divisor = "env.valueFrom.resourceFieldRef.divisor";
        for (value, state) in [("0", State::Empty), ("", State::Empty), ("1", State::Set)] {
            let container = format!(
                r#"{{"env":[{{"valueFrom":{{"resourceFieldRef":{{"divisor":"{value}"}}}}}}]}}"#
            );
            assert_eq!(met_in_container(&container, divisor), [state], "{value}");
        }
        // The same text is nothing special elsewhere.
        assert_eq!(met_in_container(r#"{"image":"0"}"#, "image"), [State::Set]);
    }

    #[test]
    fn nothing_is_absent_of_a_value_that_is_not_there() {
        let path = "livenessProbe.httpGet.path";
        assert_eq!(met_in_container("{}", path), []);
        assert_eq!(met_in_container(r#"{"livenessProbe":null}"#, path), []);
        assert_eq!(
            met_in_container(r#"{"livenessProbe":{"httpGet":{}}}"#, path),
            [State::Absent]
        );
    }

    #[test]
    fn every_element_of_a_list_counts() {
        let container = r#"{"env":[{},{"value":""},{"value":"v"},null,5]}"#;
        assert_eq!(met_in_container(container, "env.value"), State::ALL);
    }

    #[test]
    fn fields_of_embedded_structs_stand_in_the_outer_object() {
        let pod = r#"{"apiVersion":"v1","kind":"Pod","spec":{"volumes":[{"emptyDir":{}}]}}"#;
        assert_eq!(met(pod, "spec.volumes.emptyDir"), [State::Empty]);
        assert_eq!(met(pod, "spec.volumes.secret"), [State::Absent]);
    }

    #[test]
    fn templates_count_wherever_a_workload_has_them_and_only_they_do() {
        let template = r#"{"metadata":{"uid":""},"spec":{}}"#;
        for workload in [
            format!(r#"{{"apiVersion":"v1","kind":"PodTemplate","template":{template}}}"#),
            format!(
                r#"{{"apiVersion":"apps/v1","kind":"Deployment","spec":{{"template":{template}}}}}"#
            ),
            format!(
                r#"{{"apiVersion":"batch/v1","kind":"CronJob","spec":{{"jobTemplate":{{"spec":{{"template":{template}}}}}}}}}"#
            ),
        ] {
            assert_eq!(met(&workload, "spec"), [State::Empty], "{workload}");
            assert_eq!(met(&workload, "metadata.uid"), [State::Empty], "{workload}");
        }
        let bare = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"uid":"u"}}"#;
        assert_eq!(met(bare, "metadata.uid"), []);
        let unserved = r#"{"apiVersion":"v9","kind":"Pod","spec":{}}"#;
        assert_eq!(met(unserved, "spec.containers"), []);
    }

    #[test]
    fn a_pod_is_no_template_but_has_what_is_below_one() {
        let pod = r#"{"apiVersion":"v1","kind":"Pod","spec":{}}"#;
        assert_eq!(met(pod, "spec"), []);
        assert_eq!(met(pod, "spec.containers"), [State::Absent]);
    }

    #[test]
    fn percentages_are_rounded_down() {
        let tally = Tally {
            met: 999,
            total: 1000,
        };
        assert_eq!(tally.to_string(), "999/1000 99 %");
    }
}
