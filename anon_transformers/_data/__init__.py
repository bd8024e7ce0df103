"""The one door between data and integer codes."""
