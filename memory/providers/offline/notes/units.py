"""The words of numbers, money, units and calendars."""

MONTHS = (
    "jan-uary feb-ruary mar-ch apr-il may- jun-e jul-y aug-ust sep-tember oct-ober nov-ember "
    "dec-ember"
).split()
# minutes ahead of UTC
ZONES = {
    "utc": 0, "gmt": 0, "bst": 60, "cet": 60, "cest": 120, "eet": 120, "eest": 180, "msk": 180,
    "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480,
    "pdt": -420, "jst": 540,
}  # fmt: skip
WEEKDAYS = "mon-day tue-sday wed-nesday thu-rsday fri-day sat-urday sun-day".split()
_SMALL = "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen"
NUMBERS: dict[str, float] = {
    "one": 1,
    **{word: n for n, word in enumerate(_SMALL.split()) if word != "-"},
    "fifteen": 15,
    "sixteen": 16,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "dozen": 12,
    "hundred": 100,
}
SCALES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6,
    "b": 1e9, "bn": 1e9, "billion": 1e9,
}  # fmt: skip
CURRENCY = {
    "$": "$", "usd": "$", "dollar": "$", "dollars": "$", "bucks": "$",
    "€": "€", "eur": "€", "euro": "€", "euros": "€",
    "£": "£", "gbp": "£", "pound sterling": "£", "pounds": "£", "quid": "£",
    "¥": "¥", "yen": "¥", "jpy": "¥", "chf": "chf", "francs": "chf",
}  # fmt: skip
CURRENCIES = [word for word in CURRENCY if word.isalpha()]


def _units() -> dict[str, tuple[float, str]]:
    table = {
        "time": "ms millisecond milliseconds:0.001 s sec secs second seconds:1 min mins minute "
        "minutes:60 h hr hrs hour hours:3600 day days:86400 week weeks:604800 month months:2629800 "
        "year years:31557600",
        "mass": "mg:0.001 g gram grams:1 kg kilo kilos kilogram kilograms:1000 lb lbs:453.6 "
        "t tonne tonnes tons:1000000",
        "length": "mm:0.001 cm:0.01 m meter meters metre metres:1 km kilometers kilometres:1000 "
        "mile miles:1609.34 ft feet:0.3048 inch inches:0.0254",
        "volume": "ml:0.001 l liter liters litre litres:1",
        "memory": "kb:1e3 mb:1e6 gb:1e9 tb:1e12 pb:1e15 kib:1024 mib:1048576 gib:1073741824",
        "°c": "°c celsius:1",
        "°f": "°f fahrenheit:1",
        "°": "degrees °:1",
        "power": "w:1 kw:1e3 mw:1e6",
        "energy": "kwh:1 mwh:1e3",
        "frequency": "hz:1 khz:1e3 mhz:1e6 ghz:1e9",
        "area": "m² sqm:1 hectares hectare ha:1e4",
        "speed": "km/h kmh kph:1 mph:1.60934",
        "rate": "rps req/s qps:1",
        "bandwidth": "mbps:1 gbps:1e3",
    }
    units = {}
    for dimension, text in table.items():
        waiting: list[str] = []
        for word in text.split():
            name, _, factor = word.partition(":")
            waiting.append(name)
            if factor:
                units.update({each: (float(factor), dimension) for each in waiting})
                waiting = []
    return units


UNITS = _units()
DIMENSIONS = {dimension for _, dimension in UNITS.values()}
EACH = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year",
        "hourly": "hour", "nightly": "night", "quarterly": "quarter"}  # fmt: skip
ROUGHLY = {
    "about",
    "around",
    "roughly",
    "approximately",
    "approx",
    "~",
    "nearly",
    "almost",
    "circa",
}
AT_LEAST = {
    "at least",
    "more than",
    "no less",
    "minimum of",
    "over",
    "above",
    "from",
    "starting at",
}
AT_MOST = {"at most", "less than", "up to", "maximum of", "under", "below", "within", "fewer than"}
LETTERED = frozenset(
    "option plan team group node variant room hall gate zone phase terminal block".split()
)
NUMBERABLE = frozenset(
    (
        "version release room gate platform floor port ticket invoice order issue step phase "
        "option "
        "line bay lane terminal flight track chapter level node unit pr build sprint rev revision"
    ).split()
)
