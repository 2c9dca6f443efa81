from agents.models.agent import Agent, Mode
from agents.models.automation import InboundHook, ScheduledRun
from agents.models.conversation import Claimable, Conversation, Message
from agents.models.visitor import Visitor

__all__ = [
    "Agent",
    "Claimable",
    "Conversation",
    "InboundHook",
    "Message",
    "Mode",
    "ScheduledRun",
    "Visitor",
]
