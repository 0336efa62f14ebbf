"""Render conversations by the chat templates of language models."""

from s2s.chat.rendering import Conversation, Message, render

__all__ = ["Conversation", "Message", "render"]
