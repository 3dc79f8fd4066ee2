"""What will go wrong or slow on a cluster, said before any run.

`probe` is a script that runs on every host and gathers facts, `session` talks to it, `facts` is what came back,
`findings` judges it (pure functions), `examine` does all of it.
"""
