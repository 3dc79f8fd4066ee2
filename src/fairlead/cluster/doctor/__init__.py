"""What will go wrong or slow on a cluster, said before any run.

`probe` is a script that runs on every host and gathers facts by `probing`; `bundle` makes both one text, `session`
talks to it, `plain` asks a host that has no Python, `facts` is what came back, `findings` judges it (pure functions),
`examine` does all of it.
"""
