"""The tools whose categories are promised."""

READ_ONLY_TOOLS = ("read_file", "grep", "list_dir", "glob", "react", "research_codebase", "web_fetch")
WRITE_TOOLS = ("write_file", "update_file")
