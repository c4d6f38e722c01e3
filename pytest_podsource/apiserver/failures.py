"""
Failures as the API tells them: objects of the kind Status.
"""

from __future__ import annotations

from typing import Any

from pytest_podsource.apiserver.kinds import Object

RETRY_AFTER_S = 1
_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    409: "Conflict",
    410: "Expired",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
_MESSAGES = {
    401: "Unauthorized",
    410: "The resourceVersion for the provided list is too old.",
    429: "Too many requests, please try again later.",
    500: "Internal error occurred: told to fail",
    503: "the server is currently unable to handle the request",
    504: "Timeout: request did not complete within the allotted duration",
}


class Failure(Exception):
    """
    An answer that is a Status.

    Attributes:
        code: The HTTP status.
        status: The object.
    """

    def __init__(self, code: int, status: Object) -> None:
        super().__init__(code, status)
        self.code = code
        self.status = status

    @property
    def retry_after_s(self) -> int | None:
        """When to ask again, for the header ``Retry-After``."""
        seconds = self.status.get("details", {}).get("retryAfterSeconds")
        return seconds if isinstance(seconds, int) else None


def failure(code: int, message: str = "", **details: Any) -> Failure:
    """
    Return a failure with the reason that belongs to *code*.

    Args:
        code: The HTTP status.
        message: What is wrong; without one the usual text of that status.
        details: Fields of ``details``, such as ``retryAfterSeconds``.
    """
    status: Object = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message or _MESSAGES.get(code, f"the server answered with {code}"),
        "reason": _REASONS.get(code, "Unknown"),
    }
    if details:
        status["details"] = details
    return Failure(code, {**status, "code": code})


def not_found(resource: str, name: str) -> Failure:
    """Return the failure of a get of what isn't there."""
    message = f'{resource} "{name}" not found'
    return failure(404, message, name=name, kind=resource)


def no_such_resource() -> Failure:
    """Return the failure of a resource that isn't served."""
    nowhere = failure(404, "the server could not find the requested resource")
    nowhere.status["details"] = {}
    return nowhere


def unexplained(message: str) -> Failure:
    """Return the failure of an error that was given no reason: 500."""
    error = failure(500, message)
    del error.status["reason"]
    return error


def forbidden(user: str, verb: str, resource: str, namespace: str = "") -> Failure:
    """Return the failure of somebody who may not do that."""
    where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    message = (
        f'{resource} is forbidden: User "{user}" cannot {verb} resource "{resource}" '
        f'in API group "" {where}'
    )
    return failure(403, message, kind=resource)


def invalid_options(faults: list[tuple[str, str, str]]) -> Failure:
    """
    Return the failure of options that don't go together.

    Args:
        faults: Of each its kind, such as ``FieldValueForbidden``, the option, and why.
    """
    causes = [
        {"reason": reason, "message": f"{_WORDS[reason]}: {why}", "field": field}
        for reason, field, why in faults
    ]
    told = [f"{cause['field']}: {cause['message']}" for cause in causes]
    message = f'ListOptions.meta.k8s.io "" is invalid: {_joined(told)}'
    return failure(422, message, group="meta.k8s.io", kind="ListOptions", causes=causes)


def too_large(asked: int, current: int) -> Failure:
    """Return the failure of a resource version that isn't there yet."""
    return failure(
        504,
        f"Timeout: Too large resource version: {asked}, current: {current}",
        causes=[
            {
                "reason": "ResourceVersionTooLarge",
                "message": "Too large resource version",
            }
        ],
        retryAfterSeconds=RETRY_AFTER_S,
    )


_WORDS = {
    "FieldValueForbidden": "Forbidden",
    "FieldValueNotSupported": "Unsupported value",
}


def _joined(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
