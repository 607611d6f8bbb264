"""Option groups: a dataclass whose fields are options, shared by several commands and parsed into one object."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

import typer

CONTEXT = "typer_context"


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter of a command that is annotated with a dataclass by one option for each of its fields.

    A field called `given` gets the names of the options that stand on the command line.
    """
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)
    }
    own = [name for name, each in signature.parameters.items() if each.annotation is typer.Context]
    context_name = own[0] if own else CONTEXT
    parameters = []
    if not own:
        parameters.append(inspect.Parameter(CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))
    for parameter in signature.parameters.values():
        if parameter.name not in groups:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        group = groups[parameter.name]
        hints = get_type_hints(group, include_extras=True)
        parameters += [
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=_default(field), annotation=hints[field.name]
            )
            for field in _options(group)
        ]

    @wraps(command)
    def parsed(**arguments: Any) -> None:
        context: typer.Context = arguments[context_name] if own else arguments.pop(context_name)
        sources = {name: context.get_parameter_source(name) for name in context.params}
        given = frozenset(name for name, source in sources.items() if source and source.name == "COMMANDLINE")
        for name, group in groups.items():
            values = {field.name: arguments.pop(field.name) for field in _options(group)}
            if any(field.name == "given" for field in fields(group)):
                values["given"] = given
            arguments[name] = group(**values)
        command(**arguments)

    parsed.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return parsed


def _options(group: Any) -> list[Field[Any]]:
    return [field for field in fields(group) if field.name != "given"]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
