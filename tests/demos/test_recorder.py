"""Recordings open, and have the frames they were given."""

import pygame
import pytest

from demos.recorder import FPS, GIF_EVERY, Recorder, RecordError


def frames(count, size=(320, 200)):
    for k in range(count):
        surface = pygame.Surface(size)
        surface.fill((250, 250, 248))
        pygame.draw.circle(surface, (180, 60, 30), (10 + 5 * k, 100), 20)
        yield surface


def record(path, count):
    recorder = Recorder(path)
    for surface in frames(count):
        recorder.add(surface)
    assert recorder.close() == path
    return recorder


def test_a_film_has_every_frame(tmp_path):
    import imageio

    path = tmp_path / "new" / "film.mp4"
    record(path, 20)
    with imageio.get_reader(path) as film:
        pictures = [frame for frame in film]  # noqa: C416 (a film does not know its length)
        assert film.get_meta_data()["fps"] == pytest.approx(FPS)
    assert len(pictures) == 20
    assert pictures[0].shape == (200, 320, 3)
    # the disc has moved
    assert pictures[0][100, 10, 0] < 220 < pictures[-1][100, 10, 0]


def test_a_window_that_changes_its_size_goes_on_being_filmed(tmp_path):
    import imageio

    recorder = Recorder(tmp_path / "film.mp4")
    for size in ((320, 200), (400, 300)):
        recorder.add(next(frames(1, size)))
    with imageio.get_reader(recorder.close()) as film:
        assert [frame.shape for frame in film] == [(200, 320, 3)] * 2


def test_an_animation_has_every_third_frame(tmp_path):
    from PIL import Image

    path = tmp_path / "short.gif"
    recorder = record(path, 19)
    with Image.open(path) as image:
        assert image.n_frames == recorder.written == len(range(0, 19, GIF_EVERY))
        assert image.info["duration"] == 1000 * GIF_EVERY // FPS


def test_a_picture_is_the_last_frame(tmp_path):
    path = tmp_path / "last.png"
    record(path, 5)
    picture = pygame.image.load(path)
    assert tuple(picture.get_at((30, 100)))[:3] == (180, 60, 30)
    assert tuple(picture.get_at((8, 100)))[:3] == (250, 250, 248)


def test_other_kinds_of_file_are_refused(tmp_path):
    with pytest.raises(RecordError, match=r"must end in .png, .gif, .mp4"):
        Recorder(tmp_path / "film.avi")


def test_a_path_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="cannot write"):
        Recorder(tmp_path / "file" / "film.mp4")
    with pytest.raises(RecordError, match="cannot write"):
        Recorder(tmp_path / "a.png" / ".." / ".." / "no" / "\0" / "a.png")
