"""What a generator is tuned on: the export as tokens, and what is said where something lacks."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _tiny_llama import write_tiny_llama

from hdlgraph.errors import UsageError
from hdlgraph.serve.cli.main import run
from hdlgraph.train.generator.__main__ import main, tune
from hdlgraph.train.generator.merged import in_pairs
from hdlgraph.train.generator.recipe import LIBRARIES, Recipe
from hdlgraph.train.generator.texts import NONE, encoded, in_turn, read_part, spread

DESIGN = """\
// Counts the pulses of the wheel and tells when a turn is complete.
module wheel(input logic clk, input logic pulse, output logic turn);
  logic [3:0] count;
  always_ff @(posedge clk) if (pulse) count <= count + 1;
  assign turn = &count;
endmodule
"""


class Words:
    """A tokenizer whose tokens are words, each by its place in a list; as of transformers."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, list[int]]:
        for word in text.split():
            if word not in self.words:
                self.words.append(word)
        return {"input_ids": [self.words.index(word) for word in text.split()]}

    def apply_chat_template(self, turns: Any, tokenize: bool, add_generation_prompt: bool) -> str:
        told = " ".join(f"<{one['role']}> {one['content']} </>" for one in turns)
        return f"{told} <assistant>" if add_generation_prompt else told

    def text(self, ids: list[int]) -> str:
        return " ".join(self.words[one] for one in ids)


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    for number in range(12):
        text = DESIGN.replace("wheel", f"wheel{number}")
        (tmp_path / f"wheel{number}.sv").write_text(text)
    index = ("index", str(tmp_path), "--no-embeddings", "--graphrag", "never", "-j", "1", "-q")
    assert run([*index]) == 0
    out = tmp_path / "data"
    assert run(["train", "export", str(out), "--index", str(tmp_path), "-q"]) == 0
    return out


def test_an_export_is_read_as_tokens_of_which_the_answer_is_learnt(exported: Path) -> None:
    words = Words()
    chats = read_part(exported / "train", "chat")
    assert chats
    text = encoded(chats[0], words, 4_000)
    learnt = [label for label in text.labels if label != NONE]
    assert text.ids[-len(learnt) :] == learnt
    assert words.text(learnt) == " ".join([*chats[0]["messages"][-1]["content"].split(), "</>"])
    [first, *_] = read_part(exported / "train", "pretrain")
    whole = encoded(first, words, 5)
    assert whole.ids == whole.labels
    assert words.text(whole.ids) == " ".join(first["text"].split()[:5])


def test_of_a_long_conversation_the_code_is_cut_and_the_answer_stays() -> None:
    turns = [
        {"role": "user", "content": "code " * 500 + "end of the code"},
        {"role": "assistant", "content": "It counts pulses."},
    ]
    words = Words()
    text = encoded({"messages": turns}, words, 60)
    assert len(text.ids) == 60
    told = words.text(text.ids)
    assert told.startswith("<user> code code")
    assert told.endswith("end of the code </> <assistant> It counts pulses. </>")
    assert words.text([label for label in text.labels if label != NONE]) == "It counts pulses. </>"


def test_texts_are_drawn_once_before_any_is_drawn_again() -> None:
    drawn = in_turn(range(5), 12, seed=3)
    assert sorted(drawn[:5]) == sorted(drawn[5:10]) == list(range(5))
    assert drawn == in_turn(range(5), 12, seed=3)
    assert spread([{"n": n} for n in range(10)], 3) == [{"n": 0}, {"n": 3}, {"n": 6}]


def test_rows_of_a_head_are_put_as_llama_cpp_turns_them() -> None:
    rows = np.arange(8.0)[:, None]
    # Two heads of four rows: the first half of a head is turned with its second half.
    assert in_pairs(rows, 2)[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_what_cannot_be_used_is_named(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert main([str(exported), "--model", str(tmp_path / "none.gguf"), *out]) == 2
    assert "none.gguf: no such file or folder" in capsys.readouterr().err
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        assert main([str(exported), "--model", str(tmp_path), *out]) == 2
        assert f"pip install {' '.join(missing)}" in capsys.readouterr().err
    broken = exported / "train" / "chat.jsonl"
    broken.write_text(json.dumps({"messages": [{"role": "user", "content": "?"}]}) + "\n")
    with pytest.raises(UsageError, match=r"chat\.jsonl:1: no \"messages\" that end with"):
        read_part(exported / "train", "chat")
    with pytest.raises(UsageError, match="write it with `hdlgraph train export`"):
        read_part(tmp_path / "none", "chat")
    assert Recipe(pretrain=3).steps("pretrain") == 3


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in LIBRARIES),
    reason="torch, transformers, peft, bitsandbytes and gguf are no part of the test extra",
)
def test_a_tiny_model_learns_and_what_is_written_knows_it(exported: Path, tmp_path: Path) -> None:
    from hdlgraph.train.generator.qlora import Learner, opened
    from hdlgraph.train.generator.texts import Text

    chats = read_part(exported / "train", "chat")
    texts = [turn["content"] for one in chats for turn in one["messages"]]
    base = write_tiny_llama(tmp_path / "tiny.gguf", texts)
    recipe = Recipe(rate=3e-3, tokens=192, batch=2, pretrain=4, chat=8, valid=2)
    (exported / "valid" / "chat.jsonl").write_text(json.dumps(chats[-1]) + "\n")
    told = tune(exported, base, tmp_path / "out", recipe)
    pretrain, chat = told["parts"]
    assert chat["after"]["chat"] < chat["before"]["chat"] - 0.1
    assert pretrain["after"]["pretrain"] < pretrain["before"]["pretrain"]
    # What is written has the loss of what was learnt, but for the rounding to float16.
    learner = Learner(base, recipe)
    learner.model, learner.tokenizer = opened(tmp_path / "out" / "model.gguf")
    aside: list[Text] = [encoded(chats[-1], learner.tokenizer, recipe.tokens)]
    assert learner.loss(aside) == pytest.approx(chat["after"]["chat"], abs=0.005)
    again = tune(exported, base, tmp_path / "again", recipe)
    assert again["parts"] == told["parts"]
