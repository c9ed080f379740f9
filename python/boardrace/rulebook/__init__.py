"""One module a game. A module whose name begins with no underscore is a game and has GAME."""
