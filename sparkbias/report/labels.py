"""Labels beside points, none over another."""

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # n × 2, in points of the page
Box = tuple[float, float, float, float]  # left, bottom, right, top

_GAP = 5.0
_RADIUS = 2.5


def place_labels(
    anchors: Points, widths: list[float], height: float, *, avoid: Points, bounds: Box
) -> list[tuple[float, float] | None]:
    """Where each label's left middle goes; None where there is no free place beside its point.

    The first labels choose first, so the most notable ones should stand first.

    Args:
        anchors: the points to be labelled.
        widths: of the labels.
        height: of a line.
        avoid: points that no label may cover.
        bounds: the area of the chart.
    """
    taken: list[Box] = []
    places: list[tuple[float, float] | None] = []
    for (x, y), width in zip(anchors, widths, strict=True):
        place = None
        for left, middle in _beside(float(x), float(y), width, height):
            box = (left, middle - height / 2, left + width, middle + height / 2)
            if _is_inside(box, bounds) and _is_free(box, taken, avoid):
                place = (left, middle)
                taken.append(box)
                break
        places.append(place)
    return places


def _beside(x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    """Right, left, above, below, then the corners."""
    rise = height / 2 + _GAP
    return [
        (x + _GAP, y),
        (x - _GAP - width, y),
        (x - width / 2, y + rise),
        (x - width / 2, y - rise),
        (x + _GAP / 2, y + rise),
        (x + _GAP / 2, y - rise),
        (x - _GAP / 2 - width, y + rise),
        (x - _GAP / 2 - width, y - rise),
    ]


def _is_inside(box: Box, bounds: Box) -> bool:
    return (
        box[0] >= bounds[0] and box[1] >= bounds[1] and box[2] <= bounds[2] and box[3] <= bounds[3]
    )


def _is_free(box: Box, taken: list[Box], avoid: Points) -> bool:
    left, bottom, right, top = box
    if any(left < r and right > x and bottom < t and top > b for x, b, r, t in taken):
        return False
    x, y = avoid[:, 0], avoid[:, 1]
    covered = (
        (x > left - _RADIUS) & (x < right + _RADIUS) & (y > bottom - _RADIUS) & (y < top + _RADIUS)
    )
    return not covered.any()
