"""The games as environments of other projects, one module each, loaded when imported.

- ``boardrace.envs.pettingzoo``: ``env(game)``, an AEC environment of all players.
- ``boardrace.envs.gymnasium``: one agent against given policies, and many games side by side.
- ``boardrace.envs.openspiel``: ``load(game)``, a ``pyspiel.Game``.

Each needs its extra: ``pip install boardrace[pettingzoo]`` and so on. No module here knows a
game: what holds for one holds for all, those of other packages too.
"""
