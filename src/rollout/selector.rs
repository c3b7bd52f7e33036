//! What selects what: label selectors, and node affinity.
//!
//! Mirrors `LabelSelectorAsSelector` (`k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go`) and the
//! matching of required node affinity (`k8s.io/component-helpers/scheduling/corev1/nodeaffinity`).

use super::Labels;
use crate::value::Ref;

/// Whether a `metav1.LabelSelector` selects these labels. A nil one selects nothing.
pub(super) fn matches(selector: Ref<'_, '_>, labels: &Labels) -> bool {
    selector.deref().exists()
        && selector
            .get("MatchLabels")
            .entries()
            .all(|(key, value)| labels.get(key).is_some_and(|label| label == value.str()))
        && selector
            .get("MatchExpressions")
            .items()
            .all(|requirement| requirement_holds(requirement, labels))
}

/// Whether a Pod's required node affinity lets it onto a node.
pub(super) fn node_fits(pod_spec: Ref<'_, '_>, node: &str, labels: &Labels) -> bool {
    let required =
        pod_spec.at("Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution");
    if !required.deref().exists() {
        return true;
    }
    let name = Labels::from([("metadata.name".to_owned(), node.to_owned())]);
    required.get("NodeSelectorTerms").items().any(|term| {
        let (expressions, fields) = (term.get("MatchExpressions"), term.get("MatchFields"));
        // An empty term selects nothing.
        !(expressions.is_empty() && fields.is_empty())
            && expressions.items().all(|e| requirement_holds(e, labels))
            && fields.items().all(|field| requirement_holds(field, &name))
    })
}

fn requirement_holds(requirement: Ref<'_, '_>, labels: &Labels) -> bool {
    let label = labels.get(requirement.get("Key").str());
    let mut values = requirement.get("Values").items().map(Ref::str);
    let number = |text: &str| text.parse::<i64>().ok();
    match requirement.get("Operator").str() {
        "In" => label.is_some_and(|label| values.any(|value| value == label)),
        "NotIn" => label.is_none_or(|label| values.all(|value| value != label)),
        "Exists" => label.is_some(),
        "DoesNotExist" => label.is_none(),
        operator @ ("Gt" | "Lt") => {
            let label = label.and_then(|label| number(label));
            let value = values.next().and_then(number);
            match (label, value) {
                (Some(label), Some(value)) if operator == "Gt" => label > value,
                (Some(label), Some(value)) => label < value,
                _ => false,
            }
        }
        _ => false,
    }
}
