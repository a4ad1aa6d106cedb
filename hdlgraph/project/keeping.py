"""What a user's own use leaves: `Project.judge`, `Project.judgements`, `Project.threads`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.project.asking import Asking

if TYPE_CHECKING:
    from collections.abc import Callable

    from hdlgraph.store.user.feedback import Feedback
    from hdlgraph.store.user.threads import KeptTurn, Threads


class Keeping(Asking):
    """The part of a project that keeps a user's conversations and judgements.

    They lie in the user's own data folder, see `store.user.folder`, not in the repository.
    """

    _threads: Threads | None = None
    _feedback: Feedback | None = None

    def threads(self) -> Threads:
        """Returns the user's conversations about this index.

        Raises:
            UsageError: the user's data folder cannot be used.
        """
        if self._threads is None:
            from hdlgraph.store.user.folder import user_folder
            from hdlgraph.store.user.threads import Threads

            self._threads = Threads(user_folder(self.folder))
        return self._threads

    def judgements(self) -> Feedback:
        """Returns the user's judgements of answers from this index.

        Raises:
            UsageError: the user's data folder cannot be used.
        """
        if self._feedback is None:
            from hdlgraph.store.user.feedback import Feedback
            from hdlgraph.store.user.folder import user_folder

            self._feedback = Feedback(user_folder(self.folder))
        return self._feedback

    def judge(
        self, question: str, path: str, verdict: str = "up", note: str = ""
    ) -> dict[str, Any]:
        """Keeps whether a file answers a question; returns `{schema, kept}`.

        Args:
            question: as asked.
            path: a file of the index.
            verdict: "up", "down", or "right" for the file that should have been first.
            note: words of the user.

        Raises:
            UsageError: the index has no such file, or the judgement cannot be kept.
        """
        if not any(ch.isalnum() for ch in question):
            raise UsageError("the question is empty: say what was asked")
        if path not in self.manifest().files:
            raise UsageError(
                f"{path[:200]!r} is no file of the index; give a path as `search` does"
            )
        return {"schema": 1, "kept": self.judgements().add(question, path, verdict, note)}

    def go_on(
        self, thread: str, text: str, on_text: Callable[[str], None] | None = None
    ) -> KeptTurn:
        """Answers the next question of a kept conversation, and keeps both; returns the turn.

        Args:
            thread: the conversation's id.
            text: as typed; a follow-up is understood by what was said before.
            on_text: called with pieces of the answer as they come.

        Raises:
            UsageError: there is no such conversation, or the text is empty.
        """
        from hdlgraph.query.answer.chat.follow_up import Turn

        kept = self.threads()
        _, turns = kept.turns(thread)
        talk = self.chat()
        talk.turns = [Turn(one.typed, one.asked, one.answer) for one in turns]
        answer = talk.ask(text, on_text)
        return kept.add(thread, text, talk.turns[-1].asked, answer)
