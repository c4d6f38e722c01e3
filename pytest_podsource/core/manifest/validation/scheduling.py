"""
What the API refuses in tolerations, affinities and topology spread constraints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_podsource.core.manifest.validation.faults import (
    checked,
    duplicate,
    forbidden,
    invalid,
    required,
    unsupported,
)
from pytest_podsource.core.manifest.validation.metadata import faults_of_labels
from pytest_podsource.core.manifest.validation.names import (
    dns_label,
    dns_subdomain,
    label_value,
    qualified_name,
)
from pytest_podsource.core.versions import Kubelet

Part = Mapping[str, Any]

_EFFECTS = ("NoExecute", "NoSchedule", "PreferNoSchedule")
_OPERATORS = ("Equal", "Exists")
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES = ("Honor", "Ignore")
_INTEGER = re.compile(r"(0|-?[1-9][0-9]*)\Z")
_MAX_WEIGHT = 100
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def faults_of_tolerations(
    tolerations: Sequence[Part],
    gates: Mapping[str, bool],
    where: str = "spec.tolerations",
) -> Iterator[str]:
    """
    Yield what is wrong with *tolerations*.

    Kubelet: ``ValidateTolerations``.
    """
    compares = gates.get("TaintTolerationComparisonOperators", False)
    for index, toleration in enumerate(tolerations):
        path = f"{where}[{index}]"
        key, operator = toleration.get("key", ""), toleration.get("operator", "")
        effect = toleration.get("effect", "")
        if key:
            yield from checked(f"{path}.key", key, qualified_name)
        elif operator != "Exists":
            yield invalid(f"{path}.operator", operator, "must be Exists without a key")
        if "tolerationSeconds" in toleration and effect != "NoExecute":
            yield invalid(f"{path}.effect", effect, "must be 'NoExecute' with seconds")
        yield from _operator(operator, toleration.get("value", ""), path, compares)
        if effect and effect not in _EFFECTS:
            yield unsupported(f"{path}.effect", effect, _EFFECTS)


def _operator(
    operator: str,
    value: str,
    path: str,
    compares: bool,  # noqa: FBT001
) -> Iterator[str]:
    if operator in ("", "Equal"):
        yield from checked(f"{path}.operator", value, label_value)
    elif operator == "Exists":
        if value:
            yield invalid(f"{path}.operator", value, "must be empty with 'Exists'")
    elif operator in ("Lt", "Gt") and compares:
        if not _INTEGER.match(value):
            yield invalid(f"{path}.value", value, "must be a whole number")
    else:
        yield unsupported(f"{path}.operator", operator, _OPERATORS)


def faults_of_affinity(affinity: Part) -> Iterator[str]:
    """
    Yield what is wrong with the *affinity* of a pod.

    Kubelet: ``validateAffinity``.
    """
    path = "spec.affinity"
    if "nodeAffinity" in affinity:
        yield from _node_affinity(affinity["nodeAffinity"], f"{path}.nodeAffinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        part = affinity.get(kind, {})
        for index, term in enumerate(part.get(_REQUIRED) or ()):
            yield from _pod_term(term, f"{path}.{kind}.{_REQUIRED}[{index}]")
        for index, weighted in enumerate(part.get(_PREFERRED) or ()):
            here = f"{path}.{kind}.{_PREFERRED}[{index}]"
            yield from _weight(weighted["weight"], here)
            yield from _pod_term(weighted["podAffinityTerm"], f"{here}.podAffinityTerm")


def _weight(weight: int, path: str) -> Iterator[str]:
    if not 0 < weight <= _MAX_WEIGHT:
        yield invalid(f"{path}.weight", weight, "must be in the range 1-100")


def _node_affinity(affinity: Part, path: str) -> Iterator[str]:
    if _REQUIRED in affinity:
        here = f"{path}.{_REQUIRED}.nodeSelectorTerms"
        terms = affinity[_REQUIRED].get("nodeSelectorTerms") or ()
        if not terms:
            yield required(here, "must have at least one node selector term")
        for index, term in enumerate(terms):
            yield from _node_term(term, f"{here}[{index}]", strict=True)
    for index, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        here = f"{path}.{_PREFERRED}[{index}]"
        yield from _weight(preferred["weight"], here)
        yield from _node_term(
            preferred["preference"], f"{here}.preference", strict=False
        )


def _node_term(term: Part, path: str, *, strict: bool) -> Iterator[str]:
    for index, each in enumerate(term.get("matchExpressions") or ()):
        here = f"{path}.matchExpressions[{index}]"
        yield from _requirement(each, here, compares=True, strict=strict)
    for index, each in enumerate(term.get("matchFields") or ()):
        here = f"{path}.matchFields[{index}]"
        values = each.get("values") or ()
        if each["operator"] not in ("In", "NotIn"):
            yield invalid(f"{here}.operator", each["operator"], "not a valid operator")
        elif len(values) != 1:
            yield required(f"{here}.values", "must be only one value")
        if each["key"] != "metadata.name":
            yield invalid(f"{here}.key", each["key"], "not a valid field selector key")
            continue
        for number, value in enumerate(values):
            yield from checked(f"{here}.values[{number}]", value, dns_subdomain)


def _requirement(
    each: Part, path: str, *, compares: bool = False, strict: bool = True
) -> Iterator[str]:
    operator, values = each["operator"], each.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified with 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield forbidden(f"{path}.values", f"may not be specified with {operator}")
    elif compares and operator in ("Gt", "Lt"):
        if len(values) != 1:
            yield required(f"{path}.values", f"must be a single value with {operator}")
    else:
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")
    yield from checked(f"{path}.key", each["key"], qualified_name)
    for index, value in enumerate(values if strict else ()):
        yield from checked(f"{path}.values[{index}]", value, label_value)


def faults_of_selector(selector: Part, path: str) -> Iterator[str]:
    """
    Yield what is wrong with a label *selector*.

    Kubelet: ``ValidateLabelSelector``.
    """
    labels = selector.get("matchLabels") or {}
    yield from faults_of_labels(labels, f"{path}.matchLabels")
    for index, each in enumerate(selector.get("matchExpressions") or ()):
        yield from _requirement(each, f"{path}.matchExpressions[{index}]")


def _pod_term(term: Part, path: str) -> Iterator[str]:
    for kind in ("labelSelector", "namespaceSelector"):
        yield from faults_of_selector(term.get(kind, {}), f"{path}.{kind}")
    for namespace in term.get("namespaces") or ():
        yield from checked(f"{path}.namespace", namespace, dns_label)
    yield from _label_keys(term, path)
    key = term["topologyKey"]
    if not key:
        yield required(f"{path}.topologyKey", "can not be empty")
    yield from checked(f"{path}.topologyKey", key, qualified_name)


def _label_keys(term: Part, path: str) -> Iterator[str]:
    for kind in ("matchLabelKeys", "mismatchLabelKeys"):
        keys = term.get(kind) or ()
        if keys and "labelSelector" not in term:
            yield forbidden(f"{path}.{kind}", "must not be set without labelSelector")
            continue
        for index, key in enumerate(keys):
            yield from checked(f"{path}.{kind}[{index}]", key, qualified_name)
    for index, key in enumerate(term.get("matchLabelKeys") or ()):
        if key in (term.get("mismatchLabelKeys") or ()):
            yield invalid(f"{path}.matchLabelKeys[{index}]", key, "is in both lists")


def faults_of_spreading(constraints: Sequence[Part], kubelet: Kubelet) -> Iterator[str]:
    """
    Yield what is wrong with topology spread *constraints*.

    Kubelet: ``validateTopologySpreadConstraints``.
    """
    pairs = [(each["topologyKey"], each["whenUnsatisfiable"]) for each in constraints]
    for index, constraint in enumerate(constraints):
        path = f"spec.topologySpreadConstraints[{index}]"
        key, action = constraint["topologyKey"], constraint["whenUnsatisfiable"]
        if constraint["maxSkew"] <= 0:
            yield invalid(f"{path}.maxSkew", constraint["maxSkew"], "must be positive")
        if not key:
            yield required(f"{path}.topologyKey", "can not be empty")
        if action not in _ACTIONS:
            yield unsupported(f"{path}.whenUnsatisfiable", action, _ACTIONS)
        if (key, action) in pairs[index + 1 :]:
            here = f"{path}.{{topologyKey, whenUnsatisfiable}}"
            yield duplicate(here, f"{{{key}, {action}}}")
        domains = constraint.get("minDomains")
        if domains is not None and (domains <= 0 or action != _ACTIONS[0]):
            reason = "must be positive, and only with DoNotSchedule"
            yield invalid(f"{path}.minDomains", domains, reason)
        for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if constraint.get(policy, "Honor") not in _POLICIES:
                yield unsupported(f"{path}.{policy}", constraint[policy], _POLICIES)
        yield from _label_keys(constraint, path)
        if "spread-selectors" in kubelet.validation_rules:
            selector = constraint.get("labelSelector", {})
            yield from faults_of_selector(selector, f"{path}.labelSelector")
