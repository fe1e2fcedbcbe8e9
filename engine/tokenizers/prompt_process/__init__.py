"""A process with limits that runs the tokenizers and chat templates of folders that did not come with Tandem."""
