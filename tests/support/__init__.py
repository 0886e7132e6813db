"""What the tests need around them: emulators, tools, and what to do where these are missing."""
