from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MantisEdition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MANTIS_EDITION_UNSPECIFIED: _ClassVar[MantisEdition]
    MANTIS_EDITION_CLASSIC: _ClassVar[MantisEdition]
    MANTIS_EDITION_ICONS: _ClassVar[MantisEdition]
    MANTIS_EDITION_GRAB: _ClassVar[MantisEdition]

class Colour(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COLOUR_RED: _ClassVar[Colour]
    COLOUR_ORANGE: _ClassVar[Colour]
    COLOUR_YELLOW: _ClassVar[Colour]
    COLOUR_GREEN: _ClassVar[Colour]
    COLOUR_BLUE: _ClassVar[Colour]
    COLOUR_PURPLE: _ClassVar[Colour]
    COLOUR_PINK: _ClassVar[Colour]

class Icon(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ICON_UNSPECIFIED: _ClassVar[Icon]
    ICON_AGAIN: _ClassVar[Icon]
    ICON_PILFER: _ClassVar[Icon]
    ICON_BANK: _ClassVar[Icon]

class MantisAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MANTIS_ACTION_UNSPECIFIED: _ClassVar[MantisAction]
    MANTIS_ACTION_SCORE: _ClassVar[MantisAction]
    MANTIS_ACTION_STEAL_0: _ClassVar[MantisAction]
    MANTIS_ACTION_STEAL_1: _ClassVar[MantisAction]
    MANTIS_ACTION_STEAL_2: _ClassVar[MantisAction]
    MANTIS_ACTION_STEAL_3: _ClassVar[MantisAction]
    MANTIS_ACTION_STEAL_4: _ClassVar[MantisAction]
    MANTIS_ACTION_STEAL_5: _ClassVar[MantisAction]
    MANTIS_ACTION_PILFER_0: _ClassVar[MantisAction]
    MANTIS_ACTION_PILFER_1: _ClassVar[MantisAction]
    MANTIS_ACTION_PILFER_2: _ClassVar[MantisAction]
    MANTIS_ACTION_PILFER_3: _ClassVar[MantisAction]
    MANTIS_ACTION_PILFER_4: _ClassVar[MantisAction]
    MANTIS_ACTION_PILFER_5: _ClassVar[MantisAction]
MANTIS_EDITION_UNSPECIFIED: MantisEdition
MANTIS_EDITION_CLASSIC: MantisEdition
MANTIS_EDITION_ICONS: MantisEdition
MANTIS_EDITION_GRAB: MantisEdition
COLOUR_RED: Colour
COLOUR_ORANGE: Colour
COLOUR_YELLOW: Colour
COLOUR_GREEN: Colour
COLOUR_BLUE: Colour
COLOUR_PURPLE: Colour
COLOUR_PINK: Colour
ICON_UNSPECIFIED: Icon
ICON_AGAIN: Icon
ICON_PILFER: Icon
ICON_BANK: Icon
MANTIS_ACTION_UNSPECIFIED: MantisAction
MANTIS_ACTION_SCORE: MantisAction
MANTIS_ACTION_STEAL_0: MantisAction
MANTIS_ACTION_STEAL_1: MantisAction
MANTIS_ACTION_STEAL_2: MantisAction
MANTIS_ACTION_STEAL_3: MantisAction
MANTIS_ACTION_STEAL_4: MantisAction
MANTIS_ACTION_STEAL_5: MantisAction
MANTIS_ACTION_PILFER_0: MantisAction
MANTIS_ACTION_PILFER_1: MantisAction
MANTIS_ACTION_PILFER_2: MantisAction
MANTIS_ACTION_PILFER_3: MantisAction
MANTIS_ACTION_PILFER_4: MantisAction
MANTIS_ACTION_PILFER_5: MantisAction

class MantisStart(_message.Message):
    __slots__ = ("edition", "goal", "dealt")
    EDITION_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    DEALT_FIELD_NUMBER: _ClassVar[int]
    edition: MantisEdition
    goal: int
    dealt: bytes
    def __init__(self, edition: _Optional[_Union[MantisEdition, str]] = ..., goal: _Optional[int] = ..., dealt: _Optional[bytes] = ...) -> None: ...

class MantisTurn(_message.Message):
    __slots__ = ("match", "turn", "legal", "tanks", "score_piles", "draw_pile", "top", "events", "ms_left")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    TANKS_FIELD_NUMBER: _ClassVar[int]
    SCORE_PILES_FIELD_NUMBER: _ClassVar[int]
    DRAW_PILE_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    MS_LEFT_FIELD_NUMBER: _ClassVar[int]
    match: int
    turn: int
    legal: bytes
    tanks: bytes
    score_piles: bytes
    draw_pile: int
    top: bytes
    events: bytes
    ms_left: int
    def __init__(self, match: _Optional[int] = ..., turn: _Optional[int] = ..., legal: _Optional[bytes] = ..., tanks: _Optional[bytes] = ..., score_piles: _Optional[bytes] = ..., draw_pile: _Optional[int] = ..., top: _Optional[bytes] = ..., events: _Optional[bytes] = ..., ms_left: _Optional[int] = ...) -> None: ...

class MantisEnd(_message.Message):
    __slots__ = ("score_piles", "tanks", "events")
    SCORE_PILES_FIELD_NUMBER: _ClassVar[int]
    TANKS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    score_piles: bytes
    tanks: bytes
    events: bytes
    def __init__(self, score_piles: _Optional[bytes] = ..., tanks: _Optional[bytes] = ..., events: _Optional[bytes] = ...) -> None: ...
