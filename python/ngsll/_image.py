"""The estimator for images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _inputs, _native
from ._estimator import ClassifierMethods, NgsllEstimator
from ._sklearn import ClassifierMixin


class NgsllImageClassifier(ClassifierMethods, ClassifierMixin, NgsllEstimator):
    """A classifier of images whose every score is the sum of K named cells' terms.

    Takes arrays [n, height, width] or [n, height, width, channels]: bytes, or fractions from 0 to 1.

    Parameters
    ----------
    k : the number of terms of each score; with evidence ``chosen`` any other can be requested later.
    random_state : the seed of all random numbers: the same number gives the same model, bit for bit.
    evidence : what predictions are based on: ``chosen`` cells, or the ``whole`` image as in the paper.
    preset : the training schedule; by default it depends on the evidence.
    epochs : the number of passes over the training data; depends on its size if None.
    batch_size : samples per step; depends on the size of the data if None.
    learning_rate, weight_decay : of Adam.
    class_weight : the weights of the classes in the loss: ``"balanced"`` or ``{class: weight}``.
    validation_fraction : the share of the samples held out for validation and early stopping.
    choice : the rule by which cells are chosen, such as ``{"rule": "two_pass", "side": "both"}``; by search if None.
    cells : rows and columns of the grid whose cells are the features.
    regions : ``"slic"``, so that each image is cut along its own edges into regions, one from each cell, which are the
        features instead; or a mask whose regions are those of all images: an image file of 2 to 256 grey values, or an
        array [height, width] of as many numbers.
    region_names : the names of a mask's regions, by ascending value.
    channels, layers, units, cell_units, dropout : the network; ``cell_units`` (128) go from a cell to its weight.
    shift : images are moved at random by up to this many pixels in training; by their size if None.
    intercept : whether each score has a constant; True except for the preset ``paper``.
    calibration : whether probabilities are calibrated on the validation samples.
    threads : the number of threads; ``RAYON_NUM_THREADS`` or else the number of cores if None.
    verbose : whether to show a progress bar.
    options : any other option by its key in a configuration file.

    Attributes
    ----------
    model_ : :class:`ngsll.Model`, the model itself.
    classes_ : the classes, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from ngsll import NgsllImageClassifier
    >>> images = np.zeros((200, 8, 8), dtype=np.uint8)
    >>> images[::2, :4, :4] = 255
    >>> images[1::2, 4:, 4:] = 255
    >>> labels = np.tile(["corner", "opposite"], 100)
    >>> model = NgsllImageClassifier(k=1, epochs=3, cells=(2, 2), channels=(8, 8)).fit(images, labels)
    >>> model.predict(images[:2]).tolist()
    ['corner', 'opposite']
    """

    _task = "image"
    _classifies = True

    def __init__(
        self,
        k: int = 5,
        *,
        random_state: Any = 0,
        evidence: str | None = None,
        preset: str | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float = 0.001,
        weight_decay: float = 0.0,
        class_weight: Any = None,
        validation_fraction: float = 0.1,
        choice: Mapping[str, str] | None = None,
        cells: Sequence[int] = (7, 7),
        regions: Any = None,
        region_names: Sequence[str] | None = None,
        channels: Sequence[int] = (32, 64, 128),
        layers: int = 1,
        units: int = 128,
        cell_units: int | None = None,
        dropout: float = 0.0,
        shift: int | None = None,
        intercept: bool | None = None,
        calibration: bool = True,
        threads: int | None = None,
        verbose: bool = False,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.k = k
        self.random_state = random_state
        self.evidence = evidence
        self.preset = preset
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.class_weight = class_weight
        self.validation_fraction = validation_fraction
        self.choice = choice
        self.cells = cells
        self.regions = regions
        self.region_names = region_names
        self.channels = channels
        self.layers = layers
        self.units = units
        self.cell_units = cell_units
        self.dropout = dropout
        self.shift = shift
        self.intercept = intercept
        self.calibration = calibration
        self.threads = threads
        self.verbose = verbose
        self.options = options

    def _samples_to_fit(self, X: Any) -> _native.Samples:
        return _inputs.images(X)

    def _samples(self, X: Any) -> _native.Samples:
        self._fitted()
        return _inputs.images(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags
