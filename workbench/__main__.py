"""``python -m workbench`` is the same as ``workbench``."""

from workbench.cli import main

if __name__ == "__main__":
    main()
