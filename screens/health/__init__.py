"""The Health screen: the checks of memory and machine, their findings, and the fix of each."""
