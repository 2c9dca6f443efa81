"""The reviewer's pages: the queue, one card, today's decisions, what an agent has stored."""
