"""From sessions to long-term memory: transcripts, episodes, what is learnt from them, and dreaming."""
