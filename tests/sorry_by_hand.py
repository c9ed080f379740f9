"""Sorry! a second time, slowly: plain Python over dictionaries, from the rules alone.

It knows nothing of boardrace. A position is its text; `plays` gives every text of every legal play
with the position that it leads to, `actions` the kept ones only. A pawn is a pair (colour, number)
and stands at "S", "H", ("track", index) or ("safe", index).
"""

CARDS = ["1", "2", "3", "4", "5", "7", "8", "10", "11", "12", "S"]
FULL = {card: 5 if card == "1" else 4 for card in CARDS}
COLOURS = "RBYG"
SEATS = {2: "RY", 3: "RBY", 4: "RBYG"}


class Table:
    """The options of one game."""

    def __init__(self, players=2, teams=False, exchange_slides="mover", quick_start=False):
        self.colours = SEATS[players]
        self.teams = teams
        self.both = exchange_slides == "both"
        self.quick_start = quick_start

    def start(self):
        pawns = [
            f"S,S,S,{first_square(c) + 3}" if self.quick_start else "S,S,S,S" for c in self.colours
        ]
        return " ".join(["sorry 0 - 5,4,4,4,4,4,4,4,4,4,4", *pawns])

    def team(self, colour):
        """The colours that a player of this colour may move."""
        if not self.teams:
            return colour
        return "RY" if colour in "RY" else "BG"

    # ---- texts

    def read(self, text):
        fields = text.split(" ")
        position = {"turn": int(fields[1]), "card": fields[2], "pawns": {}}
        position["deck"] = dict(zip(CARDS, map(int, fields[3].split(",")), strict=True))
        for colour, field in zip(self.colours, fields[4:], strict=True):
            for number, place in enumerate(field.split(",")):
                if place not in ("S", "H"):
                    safe = place[0] == "s"
                    place = ("safe", int(place[1:])) if safe else ("track", int(place))
                position["pawns"][colour, number] = place
        return position

    def write(self, position):
        fields = ["sorry", str(position["turn"]), position["card"]]
        fields.append(",".join(str(position["deck"][card]) for card in CARDS))
        for colour in self.colours:
            places = [position["pawns"][colour, number] for number in range(4)]
            items = ["S"] * places.count("S")
            items += [str(i) for i in sorted(p[1] for p in places if p[0] == "track")]
            items += [f"s{i}" for i in sorted(p[1] for p in places if p[0] == "safe")]
            items += ["H"] * places.count("H")
            fields.append(",".join(items))
        return " ".join(fields)

    # ---- the end and the draw

    def winners(self, position):
        pawns = position["pawns"]
        return [
            seat
            for seat, colour in enumerate(self.colours)
            if all(pawns[c, n] == "H" for c in self.team(colour) for n in range(4))
        ]

    def draws(self, text):
        """Every card that can come: {card: (cards of it in the pile, position)}."""
        position = self.read(text)
        if position["card"] != "-" or self.winners(position):
            return {}
        deck = position["deck"]
        if not any(deck.values()):
            deck = dict(FULL)
        out = {}
        for card in CARDS:
            if deck[card]:
                after = dict(position, card=card, deck={**deck, card: deck[card] - 1})
                out[card] = (deck[card], self.write(after))
        return out

    # ---- carrying out

    def land(self, pawns, pawn, place):
        """Put a moving pawn down. False, and no matter what happened, when it may not."""
        if place == "H":
            pawns[pawn] = place
            return True
        if place[0] == "safe":
            if any(p[0] == pawn[0] and p != pawn and at == place for p, at in pawns.items()):
                return False
            pawns[pawn] = place
            return True
        for other in [p for p, at in pawns.items() if at == place and p != pawn]:
            if other[0] == pawn[0]:
                return False
            pawns[other] = "S"
        pawns[pawn] = place
        self.slide(pawns, pawn)
        return True

    def slide(self, pawns, pawn):
        for colour in COLOURS:
            for triangle, end in ((1, 4), (9, 13)):
                first = offset(colour, triangle)
                if colour == pawn[0] or pawns[pawn] != ("track", first):
                    continue
                rest = [("track", offset(colour, k)) for k in range(triangle + 1, end + 1)]
                for other in pawns:
                    if pawns[other] in rest:
                        pawns[other] = "S"
                pawns[pawn] = rest[-1]
                return

    def step(self, pawns, pawn, count):
        """Move one pawn by a signed count. False when it may not."""
        place = pawns[pawn]
        if place in ("S", "H"):
            return False
        for _ in range(abs(count)):
            place = ahead(pawn[0], place) if count > 0 else behind(pawn[0], place)
            if place is None:
                return False
        return self.land(pawns, pawn, place)

    # ---- plays

    def plays(self, text):
        """Every play: a list of (parts, text of the play, text of the position after it).

        The parts are the keys by which the kept play is chosen; decline and pass have none.
        """
        position = self.read(text)
        card = position["card"]
        if card == "-" or self.winners(position):
            return []
        colour = self.colours[position["turn"]]
        own = self.team(colour)
        pawns = position["pawns"]
        mine = [p for p in pawns if p[0] in own]
        theirs = [p for p in pawns if p[0] not in own]
        found = []

        def add(parts, play, after):
            turn = position["turn"]
            if card != "2":
                turn = (turn + 1) % len(self.colours)
            after = dict(position, turn=turn, card="-", pawns=after)
            found.append((parts, play, self.write(after)))

        def part(pawn, count=0, target=0):
            return (COLOURS.index(pawn[0]), progress(pawn[0], pawns[pawn]), count, target)

        def single(count):
            any_found = False
            for pawn in mine:
                after = dict(pawns)
                if self.step(after, pawn, count):
                    any_found = True
                    add([part(pawn, count)], name(pawn, pawns) + f"{count:+d}", after)
            return any_found

        if card in ("1", "2"):
            for pawn in mine:
                after = dict(pawns)
                circle = ("track", offset(pawn[0], 4))
                if pawns[pawn] == "S" and self.land(after, pawn, circle):
                    add([part(pawn)], name(pawn, pawns), after)
        eleven = False
        if card not in ("4", "S"):
            eleven = single(int(card))
        if card == "4":
            single(-4)
        if card == "10":
            single(-1)
        if card == "7":
            for one in mine:
                for two in mine:
                    for count in range(1, 7):
                        after = dict(pawns)
                        if one != two and pawns[two] != "S" and self.step(after, one, count):
                            if after[two] != "S" and self.step(after, two, 7 - count):
                                play = f"{name(one, pawns)}{count:+d}"
                                play += f",{name(two, pawns)}{7 - count:+d}"
                                add([part(one, count), part(two, 7 - count)], play, after)
        if card == "11":
            exchanged = False
            for pawn in mine:
                for other in theirs:
                    if pawns[pawn][0] == "track" and pawns[other][0] == "track":
                        exchanged = True
                        after = dict(pawns)
                        after[pawn], after[other] = pawns[other], pawns[pawn]
                        self.slide(after, pawn)
                        if self.both and after[other] != "S":
                            self.slide(after, other)
                        target = pawns[other][1]
                        play = f"{name(pawn, pawns)}x{target}"
                        add([part(pawn, 0, target)], play, after)
            if exchanged and not eleven:
                add([], "decline", dict(pawns))
        if card == "S":
            targets = [p for p in theirs if pawns[p][0] == "track"]
            if not targets and self.teams:
                targets = [p for p in mine if pawns[p][0] == "track"]
            for pawn in mine:
                for other in targets:
                    if pawns[pawn] == "S" and other[0] != pawn[0]:
                        after = dict(pawns)
                        after[pawn], after[other] = pawns[other], "S"
                        self.slide(after, pawn)
                        target = pawns[other][1]
                        add([part(pawn, 0, target)], f"{name(pawn, pawns)}>{target}", after)
        if not found:
            add([], "pass", dict(pawns))
        return found

    def actions(self, text):
        """{kept text: position after it}."""
        kept = {}
        for parts, play, after in self.plays(text):
            key = (len(parts), parts)
            if after not in kept or key < kept[after][0]:
                kept[after] = (key, play)
        return {play: after for after, (_, play) in kept.items()}

    def perft(self, text, depth):
        if depth == 0:
            return 1
        draws = self.draws(text)
        children = [after for _, after in draws.values()] or list(self.actions(text).values())
        return sum(self.perft(child, depth - 1) for child in children)


def first_square(colour):
    """The triangle of a colour's first slide."""
    return offset(colour, 1)


def offset(colour, k):
    return (15 * COLOURS.index(colour) + k) % 60


def progress(colour, place):
    if place == "S":
        return -1
    if place == "H":
        return 65
    if place[0] == "safe":
        return 60 + place[1]
    return (place[1] - offset(colour, 4)) % 60


def name(pawn, pawns):
    place = pawns[pawn]
    if place in ("S", "H"):
        return pawn[0] + place
    return f"{pawn[0]}{'s' if place[0] == 'safe' else ''}{place[1]}"


def ahead(colour, place):
    """One square forward; None past Home."""
    if place == "H":
        return None
    if place[0] == "safe":
        return ("safe", place[1] + 1) if place[1] < 4 else "H"
    if place[1] == offset(colour, 2):
        return ("safe", 0)
    return ("track", (place[1] + 1) % 60)


def behind(colour, place):
    """One square back."""
    if place[0] == "safe":
        return ("safe", place[1] - 1) if place[1] else ("track", offset(colour, 2))
    return ("track", (place[1] - 1) % 60)
