from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TentagramPlacement(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TENTAGRAM_PLACEMENT_UNSPECIFIED: _ClassVar[TentagramPlacement]
    TENTAGRAM_PLACEMENT_FREE: _ClassVar[TentagramPlacement]
    TENTAGRAM_PLACEMENT_STRICT: _ClassVar[TentagramPlacement]

class TableCard(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_CARD_UNSPECIFIED: _ClassVar[TableCard]
    TABLE_CARD_AB: _ClassVar[TableCard]
    TABLE_CARD_AC: _ClassVar[TableCard]
    TABLE_CARD_AD: _ClassVar[TableCard]
    TABLE_CARD_AE: _ClassVar[TableCard]
    TABLE_CARD_BC: _ClassVar[TableCard]
    TABLE_CARD_BD: _ClassVar[TableCard]
    TABLE_CARD_BE: _ClassVar[TableCard]
    TABLE_CARD_CD: _ClassVar[TableCard]
    TABLE_CARD_CE: _ClassVar[TableCard]
    TABLE_CARD_DE: _ClassVar[TableCard]
TENTAGRAM_PLACEMENT_UNSPECIFIED: TentagramPlacement
TENTAGRAM_PLACEMENT_FREE: TentagramPlacement
TENTAGRAM_PLACEMENT_STRICT: TentagramPlacement
TABLE_CARD_UNSPECIFIED: TableCard
TABLE_CARD_AB: TableCard
TABLE_CARD_AC: TableCard
TABLE_CARD_AD: TableCard
TABLE_CARD_AE: TableCard
TABLE_CARD_BC: TableCard
TABLE_CARD_BD: TableCard
TABLE_CARD_BE: TableCard
TABLE_CARD_CD: TableCard
TABLE_CARD_CE: TableCard
TABLE_CARD_DE: TableCard

class TentagramStart(_message.Message):
    __slots__ = ("placement",)
    PLACEMENT_FIELD_NUMBER: _ClassVar[int]
    placement: TentagramPlacement
    def __init__(self, placement: _Optional[_Union[TentagramPlacement, str]] = ...) -> None: ...

class TentagramTurn(_message.Message):
    __slots__ = ("match", "turn", "legal", "hand", "fits", "own_laid", "to_come", "laid", "events", "ms_left")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    FITS_FIELD_NUMBER: _ClassVar[int]
    OWN_LAID_FIELD_NUMBER: _ClassVar[int]
    TO_COME_FIELD_NUMBER: _ClassVar[int]
    LAID_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    MS_LEFT_FIELD_NUMBER: _ClassVar[int]
    match: int
    turn: int
    legal: bytes
    hand: int
    fits: bytes
    own_laid: bytes
    to_come: bytes
    laid: bytes
    events: bytes
    ms_left: int
    def __init__(self, match: _Optional[int] = ..., turn: _Optional[int] = ..., legal: _Optional[bytes] = ..., hand: _Optional[int] = ..., fits: _Optional[bytes] = ..., own_laid: _Optional[bytes] = ..., to_come: _Optional[bytes] = ..., laid: _Optional[bytes] = ..., events: _Optional[bytes] = ..., ms_left: _Optional[int] = ...) -> None: ...

class TentagramEnd(_message.Message):
    __slots__ = ("cards", "pile_winners", "pile_cards", "events", "decks")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    PILE_WINNERS_FIELD_NUMBER: _ClassVar[int]
    PILE_CARDS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    DECKS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[int]
    pile_winners: _containers.RepeatedScalarFieldContainer[int]
    pile_cards: _containers.RepeatedScalarFieldContainer[int]
    events: bytes
    decks: bytes
    def __init__(self, cards: _Optional[_Iterable[int]] = ..., pile_winners: _Optional[_Iterable[int]] = ..., pile_cards: _Optional[_Iterable[int]] = ..., events: _Optional[bytes] = ..., decks: _Optional[bytes] = ...) -> None: ...
