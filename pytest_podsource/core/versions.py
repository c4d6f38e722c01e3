"""
What differs between kubelets, as data.

Rule 1: a difference is a row of :data:`DIFFERENCES`: the value, and the first kubelet
that has it. Rule 2: the core reads a field of :class:`Kubelet`; it never compares
versions. The facts behind each row: ``docs/reference/behaviour.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from pytest_podsource.contract import SECOND_NS, LogLevel
from pytest_podsource.core.retry_delays import Retry
from pytest_podsource.exceptions import UnknownKubelet
from pytest_podsource.known import KUBELETS


@dataclass(frozen=True, slots=True, kw_only=True)
class Kubelet:
    """
    How one kubelet behaves; a field for each difference.

    Attributes:
        minor: Its version, as major.minor.
        file_watch: The file source watches and keeps a store (FILE-33, FILE-37).
        file_ticker: Listings come at a fixed rate, not a period after the last ended
            (FILE-02).
        file_cuts_slashes: Trailing separators of the path are cut off (FILE-23).
        file_period_must_be_positive: A period of 0 is refused at once (FILE-34).
        watch_ends_with_move: A watched file that is moved is no longer watched
            (FILE-69, fsnotify 1.7).
        max_manifest_bytes: Files and bodies of this size or more fail; ``None`` for no
            limit (FILE-25, URL-05).
        skipped_file_level: Log level of a file that is left out (FILE-36).
        url_failure_level: Log level of a failed attempt at the URL (URL-26).
        url_timeout_ns: Time limit of a GET, 0 for none (URL-02).
        node_sync: The apiserver source waits for the node (API-02).
        node_must_exist: The node counts as synced once it has been found, else once it
            could be asked for (API-03).
        api_retry: Delays before a failed list or watch is tried again (API-12).
        api_streams: The first set is asked for as a watch (API-17).
        api_lists_by_version: A list asks for what is no older than was seen, and without
            that where the apiserver has forgotten it.
        api_waits_while_busy: A watch that is refused with 429 is tried again, without a
            list.
        api_events: The words of a watch; others are not understood (API-08).
        api_unknown_event_ends: One of those ends the watch, else it is an error.
        api_list_level: Log level of a failed list.
        api_watch_level: Log level of a watch that couldn't be opened.
        api_error_level: Log level of an error that a watch told.
        uid_hash: ``md5`` or ``fnv1a``; another one gives other UIDs (DECODE-24).
        uid_of_origin: Path, node and URL count for the UID (DECODE-25, DECODE-26).
        lower_node_name: The suffix of the name is in lower case (DECODE-18).
        name_checked_first: A missing name has an error of its own (DECODE-17).
        fields_in_any_case: Field names match in any case (DECODE-08).
        first_mismatch_ends: Of several values of a wrong type the first is told, else
            one that its type reads by itself before the others.
        integers_wrap: Integers that are too large may wrap around (DECODE-09).
        int_or_string_bits: Bits of a port that may be a name, less the sign (DECODE-09).
        tiny_quantities: There are suffixes for a billionth and a millionth.
        needs_api_version: ``apiVersion`` is required (DECODE-11).
        list_items_keep_kind: Items of a list keep their kind and API version, which
            count for the UID (DECODE-14).
        file_toleration: File pods tolerate NoExecute (DECODE-33).
        pending_phase: ``status.phase`` is set to Pending (DECODE-36).
        self_link: ``odd``, ``api`` or empty for none (DECODE-37).
        untagged_pull_policy: Pull policy of an image without a tag (DECODE-39).
        gates: Feature gates that concern a manifest, and what they are by default
            (DECODE-44, DECODE-45).
        spec_defaults: Defaults of a pod's spec (DECODE-38).
        container_defaults: Defaults of a container (DECODE-38).
        probe_defaults: Defaults of a probe (DECODE-38).
        volume_defaults: Defaults of the sources of volumes (DECODE-38).
        syncs_pod_ips: The one pod IP and the list of them follow each other.
        parses_images: The tag is that of the parsed image, else what follows the last
            colon (DECODE-39).
        drops_init_annotations: Annotations of early init containers vanish.
        negative_grace_becomes_1: A negative grace period is mended (DECODE-41).
        refuses_references: ``no``, ``trust-bundles``, ``gate`` or ``always``
            (DECODE-45, DECODE-48).
        checks_node_name: ``spec.nodeName`` is validated (DECODE-20).
        refuses_container_restart: A restart policy of a regular container is refused
            (DECODE-44).
        checks_details: Validation looks into volumes, mounts and image names
            (DECODE-42).
        validation_rules: Rules of the validation that older kubelets lack, by a name of
            ours.
        env_names: Form of the names of variables: ``identifier``, ``name`` or
            ``relaxed``.
        env_fields: Fields of the pod that a variable can refer to.
        needs_env_source: A ``valueFrom`` without a source is refused.
        container_resources: Resources of a container that have no prefix.
        protocols: Protocols of a port.
        dns_policies: The DNS policies.
        priority_warnings: Odd priorities of static pods are logged (DECODE-50).
        pods_by_uid: The merge tells pods apart by UID, else by full name (CONFIG-23).
        first_set_is_told: A first set without changes gives an empty ADD (CONFIG-18).
        has_delete_and_reconcile: Those operations exist (CONFIG-17).
        status_is_merged: The status is compared and taken over (CONFIG-28, CONFIG-29).
        generation_is_merged: The generation is taken over (CONFIG-28).
        merge_validates: The merge drops invalid pods (CONFIG-46, CONFIG-47).
        copies_pods: Delivered pods are deep copies (CONFIG-53).
        seen_needs_loop: "Seen all" needs the loop's names as well (CONFIG-56).
        source_operations: Sources may send operations other than SET (CONFIG-09).
        notification_modes: The three modes and ``sync`` exist (CONFIG-60).
        duplicates_event_type: Event type of a dropped duplicate (CONFIG-39).
        merge_log_level: Log level of what the merge leaves out (CONFIG-13, CONFIG-39).
        snapshot_comes_first: In mode ``snapshot-and-updates`` SET precedes UPDATE
            (CONFIG-62).
        loop_handlers: The sync loop's handler of each operation (SYNC-06, SYNC-07).
        loop_logs_unknown: It logs operations that it doesn't know, SET apart (SYNC-09).
        loop_notes_sources: It notes the source of each message (SYNC-10).
        loop_housekeeping_ticks: Housekeeping has a tick of its own, else it follows an
            iteration (SYNC-22, SYNC-23).
        loop_syncs_all: All pods are synced once per ``sync_period_ns`` (SYNC-17).
        loop_retry_ns: First and longest sleep while the runtime fails (SYNC-15).
        runtime_log_level: Log level of such a sleep (SYNC-15).
        panics_end_it: A panic in the merge ends the kubelet, else it is logged
            (CONFIG-64).
        flags: The flags that concern pod sources (FLAGS-01).
        path_flag: Which of them gives the manifest path (FLAGS-01).
        has_config_file: There is a configuration file (FLAGS-01).
        single_header: One header, one colon in it (FLAGS-17).
        default_sync_period_ns: ``syncFrequency`` if nothing is said (FLAGS-06).
        refuses_empty_node_name: A blank node name is refused (FLAGS-20).
        seen_trims_zeros: ``config.seen`` is written without trailing zeros (CONFIG-37).
        backoff_since_update: Backoff knows reset, delete_entry and
            is_in_backoff_since_update (BACKOFF-21).
        backoff_jitter: Backoff knows jitter (BACKOFF-18).
        backoff_expiry: Backoff knows a custom expiry (BACKOFF-17).
    """

    minor: str
    file_watch: bool
    file_ticker: bool
    file_cuts_slashes: bool
    file_period_must_be_positive: bool
    watch_ends_with_move: bool
    max_manifest_bytes: int | None
    skipped_file_level: LogLevel
    url_failure_level: LogLevel
    url_timeout_ns: int
    node_sync: bool
    node_must_exist: bool
    api_retry: Retry
    api_streams: bool
    api_lists_by_version: bool
    api_waits_while_busy: bool
    api_events: frozenset[str]
    api_unknown_event_ends: bool
    api_list_level: LogLevel | None
    api_watch_level: LogLevel | None
    api_error_level: LogLevel | None
    uid_hash: str
    uid_of_origin: bool
    lower_node_name: bool
    name_checked_first: bool
    fields_in_any_case: bool
    first_mismatch_ends: bool
    integers_wrap: bool
    int_or_string_bits: int
    tiny_quantities: bool
    needs_api_version: bool
    list_items_keep_kind: bool
    file_toleration: bool
    pending_phase: bool
    self_link: str
    untagged_pull_policy: str
    gates: Mapping[str, bool]
    spec_defaults: Mapping[str, Any]
    container_defaults: Mapping[str, Any]
    probe_defaults: Mapping[str, Any]
    volume_defaults: Mapping[str, Mapping[str, Any]]
    syncs_pod_ips: bool
    parses_images: bool
    drops_init_annotations: bool
    negative_grace_becomes_1: bool
    refuses_references: str
    checks_node_name: bool
    refuses_container_restart: bool
    checks_details: bool
    validation_rules: frozenset[str]
    env_names: str
    env_fields: tuple[str, ...]
    needs_env_source: bool
    container_resources: tuple[str, ...]
    protocols: tuple[str, ...]
    dns_policies: tuple[str, ...]
    priority_warnings: bool
    pods_by_uid: bool
    first_set_is_told: bool
    has_delete_and_reconcile: bool
    status_is_merged: bool
    generation_is_merged: bool
    merge_validates: bool
    copies_pods: bool
    seen_needs_loop: bool
    source_operations: bool
    notification_modes: bool
    duplicates_event_type: str
    merge_log_level: str
    snapshot_comes_first: bool
    loop_handlers: Mapping[str, str]
    loop_logs_unknown: bool
    loop_notes_sources: bool
    loop_housekeeping_ticks: bool
    loop_syncs_all: bool
    loop_retry_ns: tuple[int, int]
    runtime_log_level: str
    panics_end_it: bool
    flags: tuple[str, ...]
    path_flag: str
    has_config_file: bool
    single_header: bool
    default_sync_period_ns: int
    refuses_empty_node_name: bool
    seen_trims_zeros: bool
    backoff_since_update: bool
    backoff_jitter: bool
    backoff_expiry: bool


_FLAGS = (
    "file-check-frequency",
    "manifest-url",
    "http-check-frequency",
    "manifest-url-header",
    "sync-frequency",
    "hostname-override",
)

_SPEC_DEFAULTS: Mapping[str, Any] = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "terminationGracePeriodSeconds": 30,
}
_CONTAINER_DEFAULTS = {"terminationMessagePath": "/dev/termination-log"}
_PROBE_DEFAULTS = {"timeoutSeconds": 1}
_FILE_MODE = {"defaultMode": 0o644}
_VOLUME_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "hostPath": {"type": ""},
    "secret": _FILE_MODE,
    "configMap": _FILE_MODE,
    "downwardAPI": _FILE_MODE,
    "projected": _FILE_MODE,
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
    "azureDisk": {
        "cachingMode": "ReadWrite",
        "kind": "Shared",
        "fsType": "ext4",
        "readOnly": False,
    },
}
_CHANGES = frozenset({"ADDED", "MODIFIED", "DELETED"})
_RULES_1_20 = frozenset({"extended-resources", "largest-deadline", "subscripts"})
_RULES_1_30 = _RULES_1_20 | {
    "host-port-at-fault",
    "apparmor-fields",
    "deletion-costs",
    "host-sysctls",
    "huge-page-fields",
    "huge-page-multiples",
    "many-searches",
    "masked-proc",
    "node-values",
    "single-pod-claims",
    "spread-selectors",
    "sysctl-slashes",
}
_RULES_1_36 = _RULES_1_30 | {
    "pod-resources",
    "search-underscores",
    "sidecar-resizing",
    "zero-sleep",
}
_ENV_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.podIP",
    "status.podIPs",
)

DIFFERENCES: Mapping[str, Mapping[str, Any]] = {
    "file_watch": {"1.1": False, "1.20": True},
    "file_ticker": {"1.1": False, "1.20": True},
    "file_cuts_slashes": {"1.1": False, "1.20": True},
    "file_period_must_be_positive": {"1.1": False, "1.20": True},
    "watch_ends_with_move": {"1.1": False, "1.30": True},
    "max_manifest_bytes": {"1.1": None, "1.20": 10 * 1024 * 1024},
    "skipped_file_level": {"1.1": "info", "1.20": "error"},
    "url_failure_level": {"1.1": "warning", "1.30": "info"},
    "url_timeout_ns": {"1.1": 0, "1.20": 10_000_000_000},
    "node_sync": {"1.1": False, "1.20": True},
    "node_must_exist": {"1.1": False, "1.37": True},
    "api_retry": {
        "1.1": Retry(
            first_ns=SECOND_NS, longest_ns=SECOND_NS, jitter=0.0, forget_ns=SECOND_NS
        ),
        "1.20": Retry(
            first_ns=800_000_000,
            longest_ns=30 * SECOND_NS,
            jitter=1.0,
            forget_ns=120 * SECOND_NS,
        ),
    },
    "api_streams": {"1.1": False, "1.36": True},
    "api_lists_by_version": {"1.1": False, "1.20": True},
    "api_waits_while_busy": {"1.1": False, "1.30": True},
    "api_events": {"1.1": _CHANGES, "1.20": _CHANGES | {"BOOKMARK"}},
    "api_unknown_event_ends": {"1.1": True, "1.20": False},
    "api_list_level": {"1.1": None, "1.20": "error"},
    "api_watch_level": {"1.1": "error"},
    "api_error_level": {"1.1": "warning", "1.30": "info"},
    "uid_hash": {"1.1": "md5", "1.36": "fnv1a"},
    "uid_of_origin": {"1.1": False, "1.30": True},
    "lower_node_name": {"1.1": False, "1.20": True},
    "name_checked_first": {"1.1": False, "1.30": True},
    "fields_in_any_case": {"1.1": True, "1.20": False},
    "first_mismatch_ends": {"1.1": False, "1.20": True, "1.30": False},
    "int_or_string_bits": {"1.1": 63, "1.20": 31},
    "tiny_quantities": {"1.1": False, "1.20": True},
    "integers_wrap": {"1.1": False, "1.20": True, "1.30": False},
    "needs_api_version": {"1.1": False, "1.20": True},
    "list_items_keep_kind": {"1.1": False, "1.37": True},
    "file_toleration": {"1.1": False, "1.20": True},
    "pending_phase": {"1.1": False, "1.20": True},
    "self_link": {"1.1": "odd", "1.20": "api", "1.30": ""},
    "untagged_pull_policy": {"1.1": "IfNotPresent", "1.20": "Always"},
    "gates": {
        "1.1": {},
        "1.34": {
            "PreventStaticPodAPIReferences": True,
            "ImageVolume": False,
            "PodLevelResources": True,
        },
        "1.36": {
            "PreventStaticPodAPIReferences": True,
            "ImageVolume": True,
            "PodLevelResources": True,
        },
        "1.37": {
            "ImageVolume": True,
            "PodLevelResources": True,
            "PodLevelResourcesFixDefaulting": True,
        },
    },
    "spec_defaults": {
        "1.1": _SPEC_DEFAULTS,
        "1.20": {
            **_SPEC_DEFAULTS,
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "enableServiceLinks": True,
        },
    },
    "container_defaults": {
        "1.1": _CONTAINER_DEFAULTS,
        "1.20": {**_CONTAINER_DEFAULTS, "terminationMessagePolicy": "File"},
    },
    "probe_defaults": {
        "1.1": _PROBE_DEFAULTS,
        "1.20": {
            **_PROBE_DEFAULTS,
            "periodSeconds": 10,
            "successThreshold": 1,
            "failureThreshold": 3,
        },
    },
    "volume_defaults": {
        "1.1": {},
        "1.20": _VOLUME_DEFAULTS,
    },
    "syncs_pod_ips": {"1.1": False, "1.20": True},
    "parses_images": {"1.1": False, "1.20": True},
    "drops_init_annotations": {"1.1": False, "1.20": True, "1.36": False},
    "negative_grace_becomes_1": {"1.1": False, "1.30": True},
    "refuses_references": {
        "1.1": "no",
        "1.30": "trust-bundles",
        "1.34": "gate",
        "1.37": "always",
    },
    "checks_node_name": {"1.1": False, "1.20": True},
    "refuses_container_restart": {"1.1": False, "1.30": True, "1.36": False},
    "checks_details": {"1.1": False, "1.20": True},
    "validation_rules": {
        "1.1": frozenset[str](),
        "1.20": _RULES_1_20,
        "1.30": _RULES_1_30,
        "1.36": _RULES_1_36,
        "1.37": _RULES_1_36 | {"image-references", "sharing-in-spec", "strict-ips"},
    },
    "env_names": {"1.1": "identifier", "1.20": "name", "1.36": "relaxed"},
    "env_fields": {
        "1.1": ("metadata.name", "metadata.namespace", "status.podIP"),
        "1.20": _ENV_FIELDS,
        "1.30": (*_ENV_FIELDS, "status.hostIPs"),
    },
    "needs_env_source": {"1.1": False, "1.20": True},
    "container_resources": {
        "1.1": (
            "cpu",
            "memory",
            "pods",
            "resourcequotas",
            "services",
            "replicationcontrollers",
            "secrets",
            "persistentvolumeclaims",
            "storage",
        ),
        "1.20": ("cpu", "memory", "ephemeral-storage", "hugepages-"),
    },
    "protocols": {"1.1": ("TCP", "UDP"), "1.20": ("SCTP", "TCP", "UDP")},
    "dns_policies": {
        "1.1": ("ClusterFirst", "Default"),
        "1.20": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    },
    "priority_warnings": {"1.1": False, "1.37": True},
    "pods_by_uid": {"1.1": False, "1.20": True},
    "first_set_is_told": {"1.1": False, "1.20": True},
    "has_delete_and_reconcile": {"1.1": False, "1.20": True},
    "status_is_merged": {"1.1": False, "1.20": True},
    "generation_is_merged": {"1.1": False, "1.34": True},
    "merge_validates": {"1.1": True, "1.20": False},
    "copies_pods": {"1.1": False, "1.20": True},
    "seen_needs_loop": {"1.1": False, "1.20": True},
    "source_operations": {"1.1": True, "1.36": False},
    "notification_modes": {"1.1": True, "1.36": False},
    "duplicates_event_type": {"1.1": "", "1.20": "Warning"},
    "merge_log_level": {"1.1": "warning", "1.30": "info"},
    "snapshot_comes_first": {"1.1": False, "1.20": True},
    "loop_handlers": {
        "1.1": {
            "ADD": "handle_pod_additions",
            "UPDATE": "handle_pod_updates",
            "REMOVE": "handle_pod_deletions",
        },
        "1.20": {
            "ADD": "handle_pod_additions",
            "UPDATE": "handle_pod_updates",
            "REMOVE": "handle_pod_removes",
            "RECONCILE": "handle_pod_reconcile",
            "DELETE": "handle_pod_updates",
        },
    },
    "loop_logs_unknown": {"1.1": False, "1.20": True},
    "loop_notes_sources": {"1.1": False, "1.20": True},
    "loop_housekeeping_ticks": {"1.1": False, "1.20": True},
    "loop_syncs_all": {"1.1": True, "1.20": False},
    "loop_retry_ns": {
        "1.1": (5_000_000_000, 5_000_000_000),
        "1.20": (100_000_000, 5_000_000_000),
    },
    "runtime_log_level": {"1.1": "info", "1.20": "error"},
    "panics_end_it": {"1.1": False, "1.20": True},
    "flags": {
        "1.1": ("config", *_FLAGS),
        "1.20": ("pod-manifest-path", "config", *_FLAGS),
    },
    "path_flag": {"1.1": "config", "1.20": "pod-manifest-path"},
    "has_config_file": {"1.1": False, "1.20": True},
    "single_header": {"1.1": True, "1.20": False},
    "default_sync_period_ns": {"1.1": 10_000_000_000, "1.20": 60_000_000_000},
    "refuses_empty_node_name": {"1.1": False, "1.20": True},
    "seen_trims_zeros": {"1.1": True, "1.20": False},
    "backoff_since_update": {"1.1": False, "1.20": True},
    "backoff_jitter": {"1.1": False, "1.30": True},
    "backoff_expiry": {"1.1": False, "1.34": True},
}


@cache
def kubelet(minor: str) -> Kubelet:
    """
    Return how the kubelet *minor* behaves.

    Args:
        minor: Its version as major.minor, one of :data:`KUBELETS`.

    Raises:
        UnknownKubelet: No table knows it.
    """
    if minor not in KUBELETS:
        raise UnknownKubelet(minor, KUBELETS)
    so_far = KUBELETS[: KUBELETS.index(minor) + 1]
    return Kubelet(
        minor=minor,
        **{
            each.name: _newest(DIFFERENCES[each.name], so_far)
            for each in fields(Kubelet)
            if each.name != "minor"
        },
    )


def _newest(since: Mapping[str, Any], so_far: tuple[str, ...]) -> Any:
    return since[[minor for minor in so_far if minor in since][-1]]
