"""Frames into files: a picture (png), an animation (gif) or a film (mp4)."""

import contextlib
from pathlib import Path

import pygame

FPS = 60
GIF_EVERY = 3  # frames: GIFs count in hundredths of a second, and 20 a second is 5 of them
GIF_WIDTH = 800  # px at most
KINDS = (".png", ".gif", ".mp4")


class RecordError(Exception):
    """Why something cannot be recorded, in one sentence."""


class Recorder:
    """Takes frames one by one and writes them to a path; close it to have the file whole."""

    def __init__(self, path):
        self.path = Path(path)
        self.kind = self.path.suffix.lower()
        self.seen = 0  # frames given
        self.written = 0  # frames in the file
        self.size = None
        self.last = None
        self.images = []
        self.film = None
        if self.kind not in KINDS:
            raise RecordError(
                f"cannot record to {self.path}: the name must end in {', '.join(KINDS)}"
            )
        write = self.find_writer()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab"):
                pass
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise RecordError(f"cannot write {self.path}: {why}") from error
        if write is not None:
            self.film = write(self.path, fps=FPS, codec="libx264", quality=7, macro_block_size=2)

    def find_writer(self):
        """What writes this kind of file, before anything is written."""
        try:
            if self.kind == ".gif":
                from PIL import Image

                self.image_type = Image
            elif self.kind == ".mp4":
                import imageio
                import imageio_ffmpeg

                imageio_ffmpeg.get_ffmpeg_exe()
                return imageio.get_writer
        except (ImportError, RuntimeError) as error:
            name = getattr(error, "name", None) or "ffmpeg"
            raise RecordError(
                f"recording to {self.kind} needs {name}: pip install 'engine2d[record]'"
            ) from error
        return None

    def add(self, surface):
        """Take a frame."""
        self.seen += 1
        if self.size is None:
            self.size = surface.get_size()
        elif surface.get_size() != self.size:  # a film keeps the size it began with
            surface = pygame.transform.smoothscale(surface, self.size)
        if self.kind == ".png":
            self.last = surface
        elif self.kind == ".mp4":
            self.film.append_data(pygame.surfarray.array3d(surface).swapaxes(0, 1))
            self.written += 1
        elif self.seen % GIF_EVERY == 1:
            self.images.append(self.small_image(surface))
            self.written += 1

    def small_image(self, surface):
        width, height = surface.get_size()
        if width > GIF_WIDTH:
            size = (GIF_WIDTH, round(height * GIF_WIDTH / width))
            surface = pygame.transform.smoothscale(surface, size)
        raw = pygame.image.tobytes(surface, "RGB")
        image = self.image_type.frombytes("RGB", surface.get_size(), raw)
        return image.quantize(256, method=self.image_type.Quantize.MEDIANCUT, dither=0)

    def close(self):
        """Finish the file; returns its path."""
        try:
            if self.kind == ".png" and self.last is not None:
                pygame.image.save(self.last, str(self.path))
                self.written = 1
            elif self.film is not None:
                self.film.close()
            elif self.images:
                first, *rest = self.images
                first.save(
                    self.path, save_all=True, append_images=rest, loop=0,
                    duration=1000 * GIF_EVERY // FPS, optimize=False,
                )  # fmt: skip
        except (OSError, pygame.error) as error:
            raise RecordError(f"cannot write {self.path}: {error}") from error
        self.images, self.film, self.last = [], None, None
        return self.path


@contextlib.contextmanager
def progress(title, total):
    """A function to call once a frame, which moves a progress bar if there is one to be had."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError:
        yield lambda: None
        return
    columns = ("[progress.description]{task.description}", BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)
