"""
Manifests for differential testing: mostly good, some odd, some broken.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import strategies as st

from pytest_podsource.differential.typed import typed_manifests

Value: TypeAlias = st.SearchStrategy[Any]

_NAMES = ("web", "we.b", "w" * 247, "w" * 248, "WEB", "we_b", "-web", "web-", "", None)
_QUANTITIES = ("1", "500m", "0.5", "1Gi", "1e3", "1.5Gi", "0", "-1", "many", 1, 0.5)
_FIELDS = 4
# Annotations that say something about the pod, and what may stand in them.
_READ_ANNOTATIONS = (
    "scheduler.alpha.kubernetes.io/tolerations",
    "controller.kubernetes.io/pod-deletion-cost",
    "seccomp.security.alpha.kubernetes.io/pod",
    "container.seccomp.security.alpha.kubernetes.io/c",
    "container.apparmor.security.beta.kubernetes.io/c",
    "container.apparmor.security.beta.kubernetes.io/other",
)
_PROFILES = (
    *(
        "unconfined",
        "runtime/default",
        "docker/default",
        "localhost/a",
        "localhost/../a",
    ),
    *(
        "",
        "0",
        "7",
        "-1",
        "+1",
        "07",
        "2147483648",
        "null",
        "[]",
        "[{}]",
        "[null]",
        "{",
    ),
    '[{"KEY":"k","operator":"Exists"}]',
    '[{"key":"k","tolerationSeconds":1}]',
    '[{"key":1}]',
    '[{"operator":"Exists","tolerationSeconds":1.5,"effect":"NoExecute"}]',
)
_NUMBERS = (0, 1, -1, 30, 80, 65535, 65536, 30.5, "80", None)


def manifests() -> st.SearchStrategy[list[dict[str, Any]]]:
    """
    Return one to three CONTENTs that are variants of one pod, or odd texts.
    """
    variants = pods().flatmap(
        lambda pod: st.lists(_written(pod), min_size=1, max_size=3)
    )
    odd = st.lists(_odd_texts(), min_size=1, max_size=1)
    typed = st.lists(typed_manifests(), min_size=1, max_size=1)
    return st.one_of(variants, typed, typed, odd)


def pods() -> st.SearchStrategy[dict[str, Any]]:
    """
    Return P: pods with a few fields each, most of them good.
    """
    fields = {**_metadata(), **_spec(), **_containers()}
    chosen = st.lists(st.sampled_from(sorted(fields)), max_size=_FIELDS, unique=True)
    named = st.sampled_from(["web"] * len(_NAMES) + list(_NAMES))
    return st.tuples(
        named,
        chosen.flatmap(
            lambda names: st.fixed_dictionaries({name: fields[name] for name in names})
        ),
    ).map(lambda both: {"name": both[0], **both[1]})


def _written(pod: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    changed: Value = st.sampled_from(
        [{}, {"unknownField": {"a": 1}}, {"namespace": "default"}]
    )
    form: Value = st.sampled_from([{}, {"as": "json"}, {"comment": "a comment"}])
    return st.tuples(changed, form).map(
        lambda both: {"pod": {**pod, **both[0]}} | both[1]
    )


def _metadata() -> dict[str, Value]:
    texts = st.sampled_from(["", "a", "A_b.c", "-a", "a b", "ä", "x" * 64, 1, True])
    keys = st.sampled_from(["k", "example.com/k", "a/b/c", "-k", "", "K" * 64])
    profile = st.fixed_dictionaries(
        {"type": st.sampled_from(["Unconfined", "RuntimeDefault", "Localhost"])},
        optional={"localhostProfile": st.sampled_from(["a", "b"])},
    )
    return {
        "namespace": st.sampled_from(["", "default", "kube-system", "a.b", "A", 1]),
        "uid": st.sampled_from(["", "explicit", "a b"]),
        "labels": st.dictionaries(keys, texts, max_size=2),
        "annotations": st.dictionaries(
            st.sampled_from(["k", "kubernetes.io/config.hash", "-k", "A/k"]),
            texts,
            max_size=2,
        )
        | st.dictionaries(
            st.sampled_from(_READ_ANNOTATIONS),
            st.sampled_from(_PROFILES),
            min_size=1,
            max_size=2,
        ),
        "securityContext": st.fixed_dictionaries(
            {}, optional={"seccompProfile": profile, "appArmorProfile": profile}
        ),
        "generateName": st.just("web-"),
        "deletionTimestamp": st.sampled_from(["2024-01-01T00:00:00Z", "yesterday"]),
        "finalizers": st.sampled_from([["a/b"], ["b"], []]),
        "ownerReferences": st.sampled_from(
            [
                [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}],
                [{"apiVersion": "v1", "kind": "Node"}],
            ]
        ),
    }


def _spec() -> dict[str, Value]:
    return {
        "restartPolicy": st.sampled_from(["Always", "Never", "OnFailure", "never", ""]),
        "dnsPolicy": st.sampled_from(["ClusterFirst", "Default", "None", "Other"]),
        "terminationGracePeriodSeconds": st.sampled_from([0, 10, -1, "10", 1.5]),
        "activeDeadlineSeconds": st.sampled_from([1, 0, -1]),
        "hostNetwork": st.sampled_from([True, False, "true"]),
        "hostPID": st.booleans(),
        "shareProcessNamespace": st.booleans(),
        "nodeName": st.sampled_from(["other", "node1", 1]),
        "nodeSelector": st.sampled_from([{"k": "v"}, {"-k": "v"}, {"k": 1}, {}]),
        "serviceAccountName": st.sampled_from(["", "default"]),
        "priority": st.sampled_from([0, 2_000_001_000, 5_000_000_000]),
        "priorityClassName": st.sampled_from(["system-node-critical", "A_b"]),
        "tolerations": st.lists(_tolerations(), max_size=2),
        "volumes": st.lists(_volumes(), max_size=2),
        "initContainers": st.lists(_others(), max_size=2),
        "ephemeralContainers": st.sampled_from([[], [{"name": "e", "image": "i"}]]),
        "schedulingGates": st.sampled_from([[], [{"name": "g/h"}]]),
        "hostAliases": st.sampled_from(
            [[{"ip": "10.0.0.1", "hostnames": ["a"]}], [{"ip": "no"}]]
        ),
        "imagePullSecrets": st.sampled_from([[], [{"name": "s"}], [{}]]),
        "enableServiceLinks": st.booleans(),
        "status": st.sampled_from([{"phase": "Running"}, {"message": "m"}, {}]),
    }


def _tolerations() -> Value:
    return st.fixed_dictionaries(
        {},
        optional={
            "key": st.sampled_from(["k", ""]),
            "operator": st.sampled_from(["Exists", "Equal", "Is"]),
            "effect": st.sampled_from(["NoExecute", "NoSchedule", ""]),
            "value": st.sampled_from(["v", ""]),
            "tolerationSeconds": st.sampled_from([0, 30]),
        },
    )


def _volumes() -> Value:
    source: Value = st.sampled_from(
        [
            {},
            {"emptyDir": {}},
            {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
            {"hostPath": {"path": "/a"}},
            {"hostPath": {"path": "/a", "type": "Directory"}},
            {"hostPath": {"path": "/../a"}},
            {"hostPath": {}},
            {"configMap": {"name": "c"}},
            {"secret": {"secretName": "s"}},
            {"downwardAPI": {"items": []}},
            {"unknownSource": {"a": 1}},
            {"emptyDir": {}, "hostPath": {"path": "/a"}},
        ]
    )
    name: Value = st.sampled_from(["v", "w", "V", ""])
    return st.tuples(name, source).map(lambda both: {"name": both[0], **both[1]})


def _others() -> Value:
    return st.fixed_dictionaries(
        {
            "name": st.sampled_from(["i", "c", "I", ""]),
            "image": st.sampled_from(["busybox", ""]),
        },
        optional={"restartPolicy": st.sampled_from(["Always", "Never"])},
    )


def _containers() -> dict[str, Value]:
    number = st.sampled_from(_NUMBERS)
    amount = st.dictionaries(
        st.sampled_from(["cpu", "memory"]), st.sampled_from(_QUANTITIES), max_size=2
    )
    resources = st.fixed_dictionaries(
        {}, optional={"limits": amount, "requests": amount}
    )
    return {
        "image": st.sampled_from(["nginx", "nginx:latest", "nginx@sha256:a", "a b", 1]),
        "imagePullPolicy": st.sampled_from(
            ["Always", "Never", "IfNotPresent", "always"]
        ),
        "command": st.sampled_from([["a"], [], "a", [1]]),
        "env": st.lists(_env(), max_size=2),
        "ports": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "containerPort": number,
                    "hostPort": number,
                    "protocol": st.sampled_from(["TCP", "UDP", "SCTP", "tcp", ""]),
                    "name": st.sampled_from(["http", "HTTP", "a" * 16, ""]),
                },
            ),
            max_size=2,
        ),
        "volumeMounts": st.sampled_from(
            [
                [{"name": "v", "mountPath": "/v"}],
                [{"name": "v"}],
                [{"name": "v", "mountPath": "/v"}, {"name": "w", "mountPath": "/v"}],
            ]
        ),
        "livenessProbe": _probes(),
        "readinessProbe": _probes(),
        "terminationMessagePolicy": st.sampled_from(["File", "Other"]),
        "containers": st.one_of(
            st.sampled_from([[], [{}], [{"name": "c"}], {}, None]),
            resources.map(
                lambda made: [{"name": "c", "image": "i", "resources": made}]
            ),
        ),
    }


def _env() -> Value:
    return st.sampled_from(
        [
            {"name": "A", "value": "1"},
            {"name": "A", "value": 1},
            {"name": "A"},
            {"value": "1"},
            {"name": "1 a", "value": "1"},
            {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.nothing"}}},
            {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        ]
    )


def _probes() -> Value:
    action: Value = st.sampled_from(
        [
            {"httpGet": {"port": 80}},
            {"httpGet": {"port": "http", "path": "/h", "scheme": "HTTPS"}},
            {"httpGet": {"port": 0}},
            {"tcpSocket": {"port": 80}},
            {"exec": {"command": ["a"]}},
            {"exec": {}},
            {},
        ]
    )
    extra = st.fixed_dictionaries(
        {},
        optional={
            "periodSeconds": st.sampled_from([0, 1, -1]),
            "initialDelaySeconds": st.sampled_from([0, 5]),
            "successThreshold": st.sampled_from([1, 2]),
        },
    )
    return st.tuples(action, extra).map(lambda both: {**both[0], **both[1]})


_SCALARS = (
    *("1", "1.5", "0x10", "0o7", "017", "1_000", "+1", "-0", "1e3", ".inf", "!!str 1"),
    *("yes", "no", "on", "off", "y", "n", "true", "True", "~", "null", "'1'", "&a x"),
    *("2024-01-01", "12:30:45", "1:30", "=", "<<", "0b1", "1.", ".5", "NaN", "08"),
)
_POD = (
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n"
    "spec:\n  containers:\n  - {name: c, image: i}\n"
)
_NAME, _SPEC = "  name: web\n", "spec:\n"
_JSON = (
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},'
    '"spec":{"containers":[{"name":"c","image":"i"}]}}'
)


def _odd_texts() -> st.SearchStrategy[dict[str, Any]]:
    whole = st.sampled_from(
        [
            "",
            " ",
            "# nothing",
            "null",
            "3",
            "[]",
            "{}",
            "---\n" + _POD,
            "---\n---\n" + _POD,
            _POD + "---\n{broken",
            _POD + "...\n",
            "\ufeff" + _POD,
            "\ufeff" + _JSON,
            _POD.replace("\n", "\r\n"),
            _JSON + "x",
            _JSON + "\n\n",
            _JSON + _JSON,
            " \n" + _JSON,
            "# c\n" + _JSON,
            _POD.replace("kind", "KIND"),
            _POD.replace("metadata", "Metadata"),
            _POD.replace("spec", "Spec"),
            _POD.replace("v1", "v2"),
            _POD.replace("kind: Pod", "kind: pod"),
            _POD.replace("kind: Pod\n", ""),
            _POD.replace("apiVersion: v1\n", ""),
            _POD.replace("kind: Pod", "kind: PodList"),
            _POD + "metadata: {name: other}\n",
            "\t" + _POD,
        ]
    )
    scalar = st.sampled_from(_SCALARS)
    place = st.sampled_from(
        [
            (_NAME, _NAME + "  labels:\n    k: {}\n"),
            (_NAME, "  name: {}\n"),
            (_NAME, _NAME + "  generation: {}\n"),
            (_SPEC, _SPEC + "  hostNetwork: {}\n"),
            (_SPEC, _SPEC + "  terminationGracePeriodSeconds: {}\n"),
            (_SPEC, _SPEC + "  hostname: {}\n"),
        ]
    )
    placed = st.tuples(place, scalar).map(
        lambda both: _POD.replace(both[0][0], both[0][1].format(both[1]))
    )
    return st.one_of(whole, placed).map(lambda text: {"text": text})
