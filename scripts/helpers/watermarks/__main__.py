"""`python -m scripts.helpers.watermarks`: the `watermarks` command."""

from scripts.helpers.watermarks.cli import main

if __name__ == "__main__":
    main()
