"""Work shared out over processes and machines, files that are never half written, intervals of what was counted."""
