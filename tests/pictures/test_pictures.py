"""Pictures of boards, the render modes of the environments, and videos."""

import copy
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium.utils.env_checker import check_env
from PIL import Image

from experiments.pages.pictures import LINE, board, film, games, write_film
from tests.common import WORKED_WIN, slow
from tests.env.test_no_leak import pairs
from tripeaks_env import Game, Rules, Status, TriPeaksEnv, TriPeaksVectorEnv
from tripeaks_env.game.cards import JOKER, NO_CARD
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.layout import COVERS, POSITIONS
from tripeaks_env.game.view import BACK
from tripeaks_env.pictures import board as drawing
from tripeaks_env.pictures import cards as card_art
from tripeaks_env.pictures import shapes
from tripeaks_env.pictures.board import Painter, Words, frame
from tripeaks_env.pictures.screen import DEFAULT_SIZE, check_render_size, grid

CODE = "TP1-E-AAAAAAB"
GAME = Game(CODE, actions=[20, 23, 22])
NEAR = 3  # pixels: within the round corner of no card


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter(*DEFAULT_SIZE)


def picture(env: TriPeaksEnv) -> np.ndarray:
    shown = env.render()
    assert isinstance(shown, np.ndarray)
    return shown


def window() -> np.ndarray:
    """Return what the window shows, uint8 (height, width, 3)."""
    surface = pygame.display.get_surface()
    assert surface is not None
    return pygame.surfarray.array3d(surface).swapaxes(0, 1)


@pytest.fixture
def human() -> Iterator[TriPeaksEnv]:
    """An environment with a window."""
    env = TriPeaksEnv(render_mode="human", render_size=(160, 90))
    yield env
    env.close()


def test_what_is_seen_of_a_game() -> None:
    """King, ace and two of the bottom row are gone and have turned up the seven of spades at 13."""
    view = GAME.view(highlight=True)
    assert view.tableau[[0, 13, 18, 20]].tolist() == [BACK, 45, 41, NO_CARD]
    assert (view.tableau == BACK).sum() == 17
    assert view[1:5] == (14, 23, 497, 3)
    assert view[5:] == (frozenset(GAME.legal_actions()), 22, Status.PLAYING)
    assert GAME.view().playable == frozenset()
    start = Game(CODE, "empty-waste").view()
    assert (start.waste, start.stock, start.last) == (NO_CARD, 24, None)


@pytest.mark.parametrize("size", [(1, 1), (7, 300), (300, 7), (60, 40), (320, 240), (961, 541), (1920, 1080)])
def test_any_size(size: tuple[int, int]) -> None:
    """Every picture of a size is a fresh array of that size, the same each time, and cards are inside."""
    one = Painter(*size)
    for game in (GAME, Game(CODE), Game(CODE, actions=WORKED_WIN)):
        first, again = frame(game.view(True), one), frame(game.view(True), one)
        assert first.shape == (size[1], size[0], 3)
        assert first.dtype == np.uint8
        assert first.flags.writeable
        assert not np.shares_memory(first, again)
        assert (first == again).all()
    if min(size) >= 40:
        board = pygame.Rect(0, 0, *size)
        assert all(board.contains(one.rectangle(action)) for action in range(DRAW + 1))
        assert board.contains(one.waste_rectangle)


def test_no_size() -> None:
    with pytest.raises(ValueError, match="must be at least 1 x 1"):
        Painter(0, 10)


@pytest.mark.parametrize("width", [24, 81, 160])
def test_cards_differ(width: int) -> None:
    art = card_art.CardArt(width)
    images = [art.card(card) for card in range(JOKER + 1)] + [art.back()]
    assert {image.get_size() for image in images} == {(width, round(1.4 * width))}
    assert len({pygame.image.tobytes(image, "RGBA") for image in images}) == len(images)


def test_everything_seen_is_in_the_picture(painter: Painter) -> None:
    """A change of any part of what is seen changes the picture."""
    view = GAME.view()
    other_suit = view.tableau.copy()
    other_suit[13] -= 13
    others = [
        view,
        view._replace(tableau=other_suit),
        view._replace(waste=view.waste + 1),
        view._replace(waste=NO_CARD),
        view._replace(stock=22),
        view._replace(stock=0),
        view._replace(score=496),
        view._replace(moves=4),
        view._replace(playable=frozenset({18})),
        view._replace(playable=frozenset({DRAW})),
        view._replace(last=None),
        view._replace(last=DRAW),
        view._replace(last=20),
        view._replace(status=Status.WON),
        view._replace(status=Status.BLOCKED),
    ]
    pictures = [frame(other, painter) for other in others]
    assert not any((a == b).all() for a, b in combinations(pictures, 2))


def test_words_of_another_language(painter: Painter) -> None:
    other = Painter(*DEFAULT_SIZE, Words("Punts", "Jugades", "Has guanyat!", "No hi ha més jugades"))
    for view in (GAME.view(), GAME.view()._replace(status=Status.BLOCKED)):
        assert (frame(view, other) != frame(view, painter)).any()


@pytest.mark.parametrize("rules", [Rules(), *slow(Rules(wild=True, empty_waste=True), Rules(open_peaks=True))])
def test_hidden_cards_do_not_show(rules: Rules) -> None:
    """Boards that a player cannot tell apart have the same picture to the byte."""
    painter = Painter(320, 240)
    compared = pairs(rules)
    assert compared
    for game, twin in compared:
        assert game.deal != twin.deal
        assert (frame(game.view(True), painter) == frame(twin.view(True), painter)).all()


def test_nothing_is_loaded_for_a_picture(painter: Painter, monkeypatch: pytest.MonkeyPatch) -> None:
    """All fonts and all images but those of texts exist when the painter does."""
    fresh = Painter(333, 222)

    def refuse(*_: object) -> None:
        raise AssertionError

    drawn = ((card_art, "fine"), (shapes, "fine"), (drawing, "fine"), (drawing, "CardArt"))
    for owner, name in ((pygame.font, "Font"), (pygame.image, "load"), *drawn):
        monkeypatch.setattr(owner, name, refuse)
    game = Game(CODE)
    for action in WORKED_WIN[:-1]:
        game.play(action)
        fresh.paint(game.view(True))


@pytest.mark.parametrize("size", [(320, 240), DEFAULT_SIZE])
def test_action_at_a_point(size: tuple[int, int]) -> None:
    """The upper card where two overlap; what lies below it once it is gone; nothing beside the cards."""
    painter = Painter(*size)
    start, played = Game(CODE).view(), GAME.view()
    for action in range(DRAW + 1):
        area = painter.rectangle(action)
        assert painter.action_at(area.centerx, area.top + NEAR, start) == action
    for position in range(POSITIONS):
        if COVERS[position]:
            lower = painter.rectangle(position)
            assert painter.action_at(lower.left + NEAR, lower.bottom - NEAR, start) == COVERS[position][0]
            assert painter.action_at(lower.right - NEAR, lower.bottom - NEAR, start) == COVERS[position][1]
    lower = painter.rectangle(13)
    assert painter.action_at(lower.left + NEAR, lower.bottom - NEAR, played) == 13
    assert painter.action_at(*painter.rectangle(22).midbottom, played) is None
    assert painter.action_at(*painter.waste_rectangle.center, start) is None
    assert painter.action_at(0, 0, start) is None
    stock = painter.rectangle(DRAW)
    assert painter.action_at(*stock.center, start._replace(stock=0)) == DRAW
    pile = (stock.left - NEAR, stock.centery)
    assert (painter.action_at(*pile, start), painter.action_at(*pile, start._replace(stock=1))) == (DRAW, None)


def test_pictures_of_the_environment(painter: Painter) -> None:
    """They are those of the game, in the size and with the marks that were asked for."""
    env = TriPeaksEnv(render_mode="rgb_array")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.render()
    env.reset(options={"deal": CODE})
    for action in GAME.actions:
        env.step(action)
    assert np.array_equal(picture(env), frame(GAME.view(), painter))
    small = TriPeaksEnv(render_mode="rgb_array", render_size=(200, 100), highlight=True)
    small.reset(options={"game": GAME})
    assert np.array_equal(picture(small), frame(GAME.view(True), Painter(200, 100)))
    assert np.array_equal(picture(copy.deepcopy(small)), picture(small))


@pytest.mark.parametrize("size", [(100,), (15, 100), (100, 8193), (100.0, 100), "100x100", 100])
def test_sizes_that_are_not_allowed(size: object) -> None:
    with pytest.raises(ValueError, match="must be width and height, integers from 16 to 8192"):
        TriPeaksEnv(render_size=size)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="highlight is 1; it must be true or false"):
        TriPeaksVectorEnv(highlight=1)  # type: ignore[arg-type]


def test_sizes_of_many_games() -> None:
    sizes = [check_render_size(None, games) for games in (1, 2, 4, 9, 100, 4096)]
    assert sizes == [(960, 540), (958, 540), (958, 538), (636, 356), (188, 104), (160, 90)]


def test_pictures_of_the_vector_environment() -> None:
    """A picture for each game, equal to those of single environments; together they are the grid."""
    envs = TriPeaksVectorEnv(3, render_mode="rgb_array", render_size=(160, 90))
    envs.reset(seed=5)
    envs.step(np.array([DRAW] * 3))
    shown = envs.render()
    assert isinstance(shown, tuple)
    frames = [each for each in shown if isinstance(each, np.ndarray)]
    assert len(frames) == 3
    for i, each in enumerate(frames):
        env = TriPeaksEnv(render_mode="rgb_array", render_size=(160, 90))
        env.reset(seed=5 + i)
        env.step(DRAW)
        assert np.array_equal(each, picture(env))
    whole = envs.render_grid()
    assert whole.shape == (184, 324, 3)
    assert (whole[:90, 164:] == frames[1]).all()
    assert (whole[94:, :160] == frames[2]).all()
    assert not whole[94:, 160:].any()
    assert envs.render_grid(columns=1).shape == (278, 160, 3)
    assert (grid(frames, 3)[:, 328:] == frames[2]).all()
    with pytest.raises(ValueError, match="columns is 0"):
        grid(frames, 0)
    envs.close()


def test_gymnasium_finds_no_fault_with_any_render_mode() -> None:
    env = gymnasium.make("TriPeaks-v0", render_size=(160, 90))
    assert set(env.metadata["render_modes"]) == {"human", "rgb_array", "ansi"}
    check_env(env.unwrapped)


def test_environments_of_one_size_share_their_painter() -> None:
    assert drawing.painter_of(64, 36) is drawing.painter_of(64, 36)


def test_the_window(human: TriPeaksEnv) -> None:
    """It opens with the first reset, follows every step, and closes with the environment."""
    assert not pygame.display.get_init()
    human.reset(options={"deal": CODE})
    shown = []
    for action in GAME.actions:
        shown.append(window().tobytes())
        human.step(action)
    assert human.render() is None
    assert all(a != b for a, b in pairwise(shown))
    expected = frame(GAME.view(), Painter(160, 90))
    assert np.array_equal(window(), expected)
    human.close()
    human.close()
    assert not pygame.display.get_init()


def test_a_window_closed_by_its_user_does_not_stop_the_game(human: TriPeaksEnv) -> None:
    human.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for _ in range(3):
        human.step(DRAW)
    assert not pygame.display.get_init()
    human.reset(seed=1)
    assert not pygame.display.get_init()


def test_two_environments_with_windows() -> None:
    """pygame has one window: whoever shows last has it, and nobody fails."""
    envs = [TriPeaksEnv(render_mode="human", render_size=(side, side)) for side in (90, 120)]
    for env in envs:
        env.reset(seed=0)
    envs[0].step(DRAW)
    assert window().shape == (90, 90, 3)
    envs[1].step(DRAW)
    envs[1].close()
    envs[0].step(DRAW)
    assert window().shape == (90, 90, 3)
    envs[0].close()
    assert not pygame.display.get_init()


def test_the_window_of_many_games() -> None:
    env = TriPeaksVectorEnv(5, render_mode="human", render_size=(64, 36))
    env.reset(seed=0)
    env.step(np.array([DRAW] * 5))
    assert window().shape == (2 * 36 + 4, 3 * 64 + 8, 3)
    assert np.array_equal(window(), env.render_grid())
    env.close()
    assert not pygame.display.get_init()


def test_without_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window is one that nobody sees, with a warning, so that Gymnasium's checker passes."""
    pygame.display.init()
    monkeypatch.delenv("SDL_VIDEODRIVER")
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    env = TriPeaksEnv(render_mode="human", render_size=(64, 36))
    with pytest.warns(UserWarning, match="there is no display: nobody sees the window"):
        env.reset(seed=0)
    env.step(DRAW)  # which does not warn again
    env.close()


@pytest.mark.slow
def test_a_window_that_cannot_be_opened() -> None:
    """One line says so."""
    code = "from tripeaks_env import TriPeaksEnv; TriPeaksEnv(render_mode='human').reset()"
    environment = {**os.environ, "SDL_VIDEODRIVER": "no-such-driver"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].startswith("gymnasium.error.Error: no window can be opened (")


@pytest.mark.slow
def test_without_pygame() -> None:
    """Nothing but pictures needs it, and its absence is told in one line."""
    code = (
        "import sys; sys.modules['pygame'] = None\n"
        "import gymnasium, tripeaks_env\n"
        "env = tripeaks_env.TriPeaksEnv(render_mode='rgb_array')\n"
        "env.reset(seed=0); env.step(28)\n"
        "try:\n"
        "    env.render()\n"
        "except gymnasium.error.DependencyNotInstalled as error:\n"
        "    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("pictures of boards need pygame-ce: pip install 'tripeaks-env[render]'\n", "")


@pytest.mark.slow
def test_importing_the_package_does_not_load_pygame() -> None:
    code = "import sys, tripeaks_env; print('pygame' in sys.modules); import tripeaks_env.pictures.board"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_videos(tmp_path: Path) -> None:
    """Gymnasium's wrapper records a game: a picture for the start and one for each step."""
    moviepy = pytest.importorskip("moviepy")
    env = gymnasium.wrappers.RecordVideo(
        gymnasium.make("TriPeaks-v0", render_mode="rgb_array", render_size=(160, 90)), str(tmp_path / "video"), fps=10
    )
    env.reset(options={"deal": CODE})
    for action in WORKED_WIN:
        env.step(action)
    env.close()  # type: ignore[no-untyped-call]
    with moviepy.VideoFileClip(str(tmp_path / "video" / "rl-video-episode-0.mp4")) as video:
        assert video.size == [160, 90]
        assert video.duration == pytest.approx((len(WORKED_WIN) + 1) / 10, abs=0.15)
        last = video.get_frame(video.duration - 0.05).astype(float)
    expected = frame(Game(CODE, actions=WORKED_WIN).view(), Painter(160, 90))
    assert np.abs(last - expected).mean() < 12


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_videos_of_many_games(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    envs = gymnasium.make_vec("TriPeaks-v0", num_envs=4, render_mode="rgb_array", render_size=(160, 90))
    envs = gymnasium.wrappers.vector.RecordVideo(envs, str(tmp_path / "video"), video_length=3)
    envs.reset(seed=0)
    for _ in range(4):
        envs.step(np.array([DRAW] * 4))
    envs.close()
    assert [path.suffix for path in (tmp_path / "video").iterdir()] == [".mp4"]


@pytest.mark.slow
def test_pictures_of_the_documentation(tmp_path: Path) -> None:
    """The film shows the worked win from the first move to the last."""
    frames = film()
    assert list(LINE) == WORKED_WIN
    assert len(frames) == len(WORKED_WIN) + 1
    assert np.array_equal(frames[-1], frame(Game(CODE, actions=WORKED_WIN).view(), Painter(640, 360)))
    assert board().shape == (540, 960, 3)
    assert games().shape == (548, 968, 3)
    write_film(frames[:3], tmp_path / "film.webp")
    with Image.open(tmp_path / "film.webp") as image:
        assert (image.format, image.size, getattr(image, "n_frames", 1)) == ("WEBP", (640, 360), 3)
