"""The vocabulary of ledgers: what makes an entry an event, and what makes it something else.

All patterns expect a view of `lft.counting.parsing.text` (lower case, ASCII digits). English is treated in
full; of other languages the words that a short ledger needs.
"""

from __future__ import annotations

import re

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBER_WORDS: dict[str, int] = {word: value for value, word in enumerate(_ONES)}
NUMBER_WORDS |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
NUMBER_WORDS |= {
    f"{ten}{sep}{one}": 10 * t + o
    for t, ten in enumerate(_TENS, start=2)
    for o, one in enumerate(_ONES[1:10], start=1)
    for sep in ("-", " ")
}
_FOREIGN = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
    "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "零 一 二 三 四 五 六 七 八 九 十 十一 十二",
    "〇 壱 两",
    "영 하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열",
)
# Of other languages only where the whole answer is one word: "six" and "un" mean other things in a text.
ANSWER_WORDS = NUMBER_WORDS | {
    word: value for line in _FOREIGN for value, word in enumerate(line.split()) if word not in NUMBER_WORDS
}
ANSWER_WORDS["两"], ANSWER_WORDS["doce"], ANSWER_WORDS["once"] = 2, 12, 11
_AND_ONE = r"(?:[- ](?:one|two|three|four|five|six|seven|eight|nine)\b)?"
NUMBER_WORD = (  # by first letter, which is several times faster than a list
    rf"(?:one|t(?:w(?:o|elve|enty{_AND_ONE})|h(?:ree|irteen|irty{_AND_ONE})|en)"
    rf"|f(?:our(?:teen)?|orty{_AND_ONE}|i(?:ve|fteen|fty{_AND_ONE}))"
    rf"|s(?:ix(?:teen|ty{_AND_ONE})?|even(?:teen|ty{_AND_ONE})?)|e(?:leven|ight(?:een|y{_AND_ONE})?)"
    rf"|nine(?:teen|ty{_AND_ONE})?|zero)"
)
NUMBER = rf"(?:\d{{1,6}}|{NUMBER_WORD})"


def ordinal(text: str) -> int:
    """The value of a match of `ORDINALS` or `NUMBER`.

    >>> ordinal("third"), ordinal("2nd"), ordinal("4")
    (3, 2, 4)
    """
    if text[0].isdigit():
        return int(re.sub(r"\D", "", text))
    return _NAMED.index(text) + 1 if text in _NAMED else number(text)


def number(text: str) -> int:
    """The value of a match of `NUMBER`.

    >>> number("twenty-one"), number("12")
    (21, 12)
    """
    return int(text) if text[0].isdigit() else NUMBER_WORDS[text]


_COLOUR = r"(?:bright\w*|solid|lit|white|yellow|red|green|blue|orange|purple|pink|cyan|magenta)"
# Coming near is an event by itself, but not where the touch that it leads to is denied.
_COMING_STEMS = (
    r"reach|revers|deflect|meets?\b|arriv(?:es?|ed|ing) at|gets? (?:to|there)\b|"
    r"chang(?:es?|ed|ing) (?:its )?(?:direction|course)"
)
_DONE_STEMS = (
    r"contact|touch|hit(?:s|ting)?\b|collid|collision|bounc|strik|struck|impact|rebound|ricochet|"
    r"bump|slam|crash|blink|flash|flicker|puls(?:es?|ing|ed)\b|light(?:s|ed|ing)?[ -]ups?|lit up|illuminat|"
    rf"turn(?:s|ed|ing)? (?:on|off|{_COLOUR})|(?:goes|comes|went|came) (?:on\b|{_COLOUR})|switch|brighten|"
    r"disappear|vanish|reappear|transition|chang(?!\w{0,3} (?:its )?(?:direction|course))|shift|jump|"
    r"(?:tak(?:es?|ing)|took) (?:over|its place|the place)|alternat|flush (?:with|against)|"
    r"against (?:the |a )?(?:[\w-]{1,12} )?wall"
)
_EVENT_STEMS = rf"{_DONE_STEMS}|{_COMING_STEMS}"
_STATE_MOVES = (
    r"(?:moves?|moved|moving|goes|went|going|enter(?:s|ed)?|becomes?|became|into) (?:to |into )?"
    r"(?:the )?(?:state|node) [\"'a-z0-9]|highlight\w* (?:moves?|moved|goes|passes|advances|proceeds)"
)
_TO_LETTER = (  # a move to a state that is a letter; an article is followed by a noun
    r"to (?:(?:the )?(?:state|node|circle|box|label) )?[\"'(]?[a-h]\d?\b(?=[\s\"')@]*(?:$|[.,;:(|→=-]|"
    r"(?:at|and|in|on|"
    r"around|about|where|when|which|then|for|until|while|from|with|by|again|once|this|count)\b))"
)
_WEAK_STEMS = (
    r"appear|fill|glow|fade|dim(?:s|med|ming)?\b|becom|becam|enter|activat|event|occur|recur|again\b|"
    r"lit\b|bright\b"
)
_NAMED = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
ORDINALS = "|".join(_NAMED) + r"|\d{1,2}(?:st|nd|rd|th)\b"

EVENT_NOUNS = r"(?:event|contact|blink|flash|transition|bounce|hit|touch|collision|impact|change|switch|repetition|rep)\w{0,2}\b"
_STATE_STEMS = (
    rf"(?:→|->|=>)|\b(?:de|von|da|du|от|из|с|van) \W?[a-h]\W? (?:à|a|nach|zu|auf|к|в|naar|"
    rf"para) \W?[a-h]\b|\bto (?:the )?(?:state|node) [\"'a-z0-9]|\b(?:{_STATE_MOVES})|\b{_TO_LETTER}|"
    r"\b(?:is|are|was) (?:lit|bright|on|active|highlighted) (?:only )?(?:from|as of|starting at|since) "
)
STRONG = re.compile(rf"\b(?:{_EVENT_STEMS})|{_STATE_STEMS}")
DONE = re.compile(rf"\b(?:{_DONE_STEMS})|{_STATE_STEMS}")
WEAK = re.compile(rf"\b(?:{_WEAK_STEMS})")
ORDINAL = re.compile(rf"\b(?:{ORDINALS}|then|next|finally|last(?:ly)?)\b")
FOREIGN_EVENT = re.compile(
    r"碰|撞|接触|触|闪|亮|变|切换|转换|转移|移到|跳到|眨|到达|ぶつか|当た|衝突|点滅|点灯|遷移|切り替|変わ|移る|移り|光|"
    r"geçiyor|geçer|çarp|temas|yanıp|değiş|raakt|botst|knippert|verandert|berühr|trifft|prallt|stößt|"
    r"kontakt|wechsel|springt|übergang|blitz|leuchtet|blinkt|"
    r"golpea|toca|choca|rebota|contacto|parpade|cambia|transici|destell|se enciende|se ilumina|pasa a|"
    r"frappe|heurte|touche (?:l[ae]|un|de)|rebond|clignot|bascul|s'allume|s'illumine|passe à|passe au|"
    r"acende|brilla|brilha|encend|aufleucht|scintill|s'éclaire|atteint|alcanza|atinge|raggiunge|erreicht|"
    r"pisca|muda|bate|toque|colide|se acende|passa (?:a|para)|tocca|urta|colpisce|rimbalz|lampegg|"
    r"si accende|si illumina|"
    r"касает|касан|удар|мига|вспых|загора|переход|переключ|меня|부딪|닿|접촉|충돌|깜|켜|전환|바뀌|바뀜|"
    r"टकरा|स्पर्श|झपक|बदल|चमक|يصطدم|تصطدم|تلمس|تومض|تنتقل|يتغير|تتغير|تضيء|تلامس|يلمس|يومض|ينتقل|انتقال"
)
# What a clause may name and still leave its verb to the clause before: places, order, repetition, short words.
LINK = re.compile(
    rf"{ORDINALS}|{NUMBER_WORD}|then|and|the|again|next|final(?:ly)?|around|about|approximately|roughly|"
    rf"also|too|once|they|these|those|happen|occurs?|takes?|place|later|number|event|contact|blink|now|"
    rf"here|there|thing|happens|happened|occurs|"
    r"twice|more|last(?:ly)?|time|times|another|other|opposite|same|does|did|doing|so|with|followed|"
    r"likewise|similarly|"
    r"left|right|walls?|ball|star|shape|square|node|state|surface|side|upper|lower|top|bottom|seconds?|mark|for|from|"
    r"after|that|this|into|onto|back|yet|afterwards?|lit|just|"
    r"die|der|das|den|dem|und|dann|danach|noch|einmal|wieder|erneut|schließlich|zuletzt|linken?|rechten?|"
    r"links|rechts|wand|"
    r"el|la|los|las|otra|vez|nuevo|nuevamente|luego|después|finalmente|izquierd[ao]|derech[ao]|pared|"
    r"puis|ensuite|encore|fois|nouveau|enfin|celui|celle|gauche|droite?|mur|depois|novamente|por|fim|esquerd[ao]|"
    r"direit[ao]|parede|poi|ancora|infine|quella?|sinistr[ao]|destr[ao]|parete|снова|затем|потом|опять|наконец|"
    r"ebenso|ebenfalls|auch|sowie|également|aussi|también|também|anche|также|тоже|kurz|bei|mit|etwa|con|"
    r"com|avec|les|del|aux|all[ae]?|лев\w{2}|прав\w{2}|стен\w|pour|para|zur|primer[ao]?|segund[ao]|"
    r"tercer[ao]|última|vez|primeira|terceira|"
    r"premi[eè]re?|deuxième|troisième|dernière|erste[ns]?|zweite[ns]?|dritte[ns]?|letzte[ns]?|mal|"
    r"prim[ao]|second[ao]|terz[ao]|"
    r"ultim[ao]|volta|раз|второй|третий|الجدار|والجدار|الأيمن|الأيسر|عند|الثانية|ثم|"
    r"zum|auf|nach|секунд\w{0,2}|segundos?|sekunden?|secondes?|second[io]"
)
IS = re.compile(r"\b(?:is|are|was|were|it's|ist|está|estaba|est|était)\b")
TELLS = re.compile(
    r"\b(?:shows?|showing|displays?|see|seen|saw|looks?|watch|check|frames?|starts?|begins?|begin|stops?|"
    r"ends?|settles?|"
    r"comes? to|s'arrête|se detiene|hält|turns? (?:a?round|back)|will|may|could|should|think|"
    r"same\b.{0,20}\bas|because|only the|dark|unlit|off|"
    r"background|count|total|video|clip)\b|[?]"
)
FOREIGN_NOT = re.compile(
    r"s'immobil|s'arrêt|se detiene|si ferma|останав|"
    r"停在|在中央|在中间|静止|没有|沒有|无|無|未|不|"
    r"初始|起始|保持|停留|结束|なし|ない|なかっ|"
    r"初期|終了|まま|없|초기|유지|नहीं|प्रारंभिक|"
    r"\b(?:kein\w*|nicht|ohne|anfangs\w*|bleib\w*|sin|ning[uú]n\w*|inicial\w*|permanece|aucun\w*|sans|reste|rien|"
    r"nichts|nada|niente|nessun\w*|ничего|больше не|initiale\b|nenhum\w*|sem|нет|без|не|начальн\w*|"
    r"остает\w*|остаёт\w*)\b|\bno hay\b|لا يوجد|بدون|"
    r"الحالة الأولية"
)

_NEGATABLE = rf"(?:{_EVENT_STEMS}|{_WEAK_STEMS}|activity|movement|motion|action|interaction|wall|rest\b)"
NEGATION_HINT = re.compile(
    r"n't\b|\b(?:no|not|never|without|neither|nor|zero|none|lack|absence|absent|free|avoid|fail|"
    r"about|almost|nearly|"
    r"yet|before|close|short|prior|instead|rather|after|having|misses|until|since|cannot|would|might|"
    r"thought|assumed|suspected|if|whether|look|"
    r"search|scan|watch|check)"
)
# The stem that a negation reaches, up to four words on, with what is coordinated: "no blinks or changes".
NEGATED = re.compile(
    r"(?:\w{2,8}n't|\b(?:no|not|nothing|never|without|neither|nor|zero|lacks?|lacking|absence of|free of|avoid\w*|"
    r"fail(?:s|ed|ing)? to|about to|almost|nearly|yet to|before|close to|short of|prior to|"
    r"instead of|rather than|"
    r"after|having|misses|until|since|cannot|thought|assumed|suspected|would(?! (?:say|put|estimate|place|"
    r"guess|count))|might|if|"
    r"whether|(?:look|search|scan|watch|check)(?:s|ed|ing)? for))"
    rf"(?:[\s-]{{1,3}}[\w'-]{{1,24}}){{0,4}}?[\s-]{{1,3}}{_NEGATABLE}\w{{0,12}}(?:[\s-]{_NEGATABLE}\w{{0,12}}){{0,2}}"
    rf"(?:(?:\s?[,/]\s?(?:(?:or|nor|and)\s)?|\s(?:or|nor|"
    rf"and)\s)(?:[\w'-]{{1,24}}\s){{0,2}}?{_NEGATABLE}\w{{0,12}}){{0,3}}"
)
NOTHING = re.compile(r"\b(?:none|nothing|n/a|nil|null|nan|neither)\b")

# The second half of an event that has a visible start and end; no event of its own beside a line of the first.
OFF = re.compile(
    r"\b(?:(?<!bounce )(?<!bounces )(?<!bounced )(?<!bouncing )off\b(?! (?:of )?(?:the |a |"
    r"its )?(?:\w{1,12} )?(?:wall|side|edge|border|ceiling|floor))|goes? (?:dark|out|dim)|went (?:dark|"
    r"out|dim)|gone (?:dark|out|off|dim)|turns? (?:dark|dim)|darkens?|dims?|dimmed|fades? out|"
    r"extinguish\w*|unlit|deactivat\w*|(?:returns?|goes|reverts?|changes?|back) (?:back )?to (?:its |the |an? )?"
    r"(?:outline\w*|dark|dim|off|unlit|normal|original|initial|hollow|empty)|empties|"
    r"leaves? (?:the |a )?(?:\w+ )?wall|"
    r"moves? (?:away|off)|separates?|(?:(?:blink|flash|contact|glow|pulse|illumination) )?(?:ends?|stops?)|"
    r"disappears?|vanish\w*)\b"
)
ON = re.compile(
    r"\b(?:on\b(?! the)|lights? up|lit(?: up)?|lightens|illuminat\w*|brightens?|flash\w*|blinks?|fills?|"
    r"filled|glows?|"
    r"activat\w*|appears?|reappears?|turns? (?:solid|bright)|(?:becomes?|goes) (?:solid|bright|lit|filled)|"
    r"touch\w*|hits?|contacts?|reach\w*|strikes?|bounces? (?:off|against)|starts?|begins?)\b"
)

INITIAL = re.compile(
    r"\binitial(?:ly|i[sz]ed)?\b(?! (?:contact|blink|transition|hit|touch|flash|collision|impact|"
    r"bounce|change))"
    r"|\b(?:video|clip|sequence|footage|animation|scene|recording|film)\w* (?:starts?|begins?|opens?|"
    r"started|began|opened)"
    r"|\b(?:starts?|begins?|opens?|started|began|opened|beginning|starting) (?:in|at|from|with|as|"
    r"out|off|near|between|stationary|"
    r"state|position|point|on|the)\b|\b(?:start|beginning|opening) of (?:the )?(?:video|clip|"
    r"sequence|footage)"
    r"|\bstart (?:state|position|frame)\b|\bat (?:the )?(?:start|beginning)\b|^\W*(?:start|begin)\W*$"
)
STAY = re.compile(
    r"\b(?:remain|stay|stationary|static|idle|idling|unchanged|constant|continuous|motionless|"
    r"rest(?:s|ing)?\b|"
    r"halt\b|comes? to (?:a )?(?:rest|stop)|float|hover|hold(?:s|ing)?\b|still\b|persist|in motion|steady|"
    r"steadily|continues? (?:to|in|until|"
    r"through)|end of (?:the )?"
    r"(?:video|clip|sequence|footage)|(?:video|clip|sequence|footage) ends?|until (?:the )?end|"
    r"final (?:state|position)"
    r"|end(?:s|ing)? (?:in|state|position)|visible|located|positioned|throughout|(?:in|at|near|"
    r"around|within) (?:the )?(?:cent(?:er|re)|middle|mid)\b|"
    r"between the (?:two )?walls|is off\b|(?:near|close to|next to) (?:the |a )?(?:\w+ )?(?:walls?|sides?|"
    r"edges?|borders?)|"
    r"ball (?:is )?(?:cent(?:er|re|ral)|mid)\w*|(?:last|final) frame\b|(?:video|clip|sequence|footage|"
    r"recording|film)\w* (?:is )?(?:over|done|finish\w*|conclud\w*|"
    r"stops?)\b)|^\W*(?:off|(?:the )?end|ends|finish|stop)\W*$"
)
OPEN_END = re.compile(
    r"[^\w\n]{0,8}(?:(?:to|until|through|-)[\s-]{1,3})?(?:the )?(?:end|onwards?|onward|eof)\b"
)
MOTION = re.compile(
    r"\b(?:toward|approach|head(?:s|ing|ed)\b|travel|drift|returns? to (?:the )?(?:cent|mid)|"
    r"leav(?:es|ing)|depart|"
    r"in (?:flight|transit)|mid-flight|half-?way|on its way|moves?|moving|moved|rolls?|rolling|flies|"
    r"flying|swings?|crosses|crossing|passes|passing|"
    r"reced|retreat|accelerat|decelerat|"
    r"slow(?:s|ing)|starts? (?:moving|to move)|begins? (?:moving|to move)|midway|mid-air)"
)
AT_REST_NAME = re.compile(
    r"\b(?:state|node|position|cent(?:er|re)|middle|floating|start|begin|off\b|outlined?)"
)
METHOD = re.compile(
    r"\b(?:analy[sz](?:ed|ing|e)|evaluat(?:ed|ing)|examin(?:ed|ing|e)|inspect(?:ed|ing)|review(?:ed|ing)|"
    r"monitor(?:ed|ing)|scann(?:ed|ing)|assess(?:ed|ing)|survey(?:ed|ing)|checked|checking|search(?:ed|ing)|"
    r"look(?:ed|ing)? (?:for|at)|watch(?:ed|ing)|to (?:observe|detect|identify|check|find|determine|see))\b"
)
META = re.compile(
    r"\b(?:duration|length|fps|frame rate|framerate|intervals?\b|period|frequency|spacing|gaps?\b|average|"
    r"total time|run ?time|tolerance|resolution|sampling|sampled|time range|time span|active (?:span|"
    r"phase|window)|"
    r"lasts|lasted|lasting|video time)\b|时长|间隔|dauer|duración|durée"
)
RETRACTED = re.compile(
    r"\b(?:broken off|aborted|abandoned|incomplete|unfinished|cut short|"
    r"(?:strike|cross|leave|take) (?:this|that|it)\b|left out|retract(?:ed|ion)?|(?:not|n't|"
    r"cannot be) (?:confirmed|verified)|unconfirmed|rejected|dismissed|withdrawn|ruled out|"
    r"false (?:positive|alarm|detection)|disregard|ignore[ds]?|discard(?:ed|ing)?|"
    r"exclud(?:ed?|ing)|remov(?:ed?|ing)|invalid|(?:not|n't) (?:be )?(?:count|includ)(?:e?d|e)?|"
    r"does ?n.t count|uncounted|\w{2,6}n't (?:count|include)|"
    r"scratch (?:that|this)|not an? (?:event|contact|blink|transition|hit|touch|real|true|valid|"
    r"change|bounce|flash))\b"
)
CORRECTION = re.compile(
    r"\b(?:wait|actually|more (?:precisely|exactly|accurately)|or rather|to be (?:precise|exact)|"
    r"correction|corrected|hold on|scratch that|on second thought|oops|i mean|make that|"
    r"should be|no, )\b"
)

_COUNT_KEYS = (
    r"count(?:er|s|ing)?|tally|total|sum|cumulative|计数|累计|總數|总数|次数|カウント|累計|合計|回数|zähler\w*|anzahl|"
    r"recuento|conteo|cuenta|contador|compteur|compte|décompte|contagem|счетчик|счётчик|счет|счёт|누적|카운트|횟수|"
    r"गिनती|गणना|العدد|العداد|第(?=\d{1,4} ?(?:次|回|度))"
)
_RUNNING_KEYS = r"running|cumulative|so far|overall|total|累计|累計|누적|laufend\w*|acumulad\w*|cumul\w*"
# "running count: 3", "count is now 3", "total so far = 3"; "total of 12 contacts" says what is covered.
RUNNING = re.compile(
    rf"(?<![a-z])(?=[a-z\u0400-\uffff])(?P<key>(?:(?:{_RUNNING_KEYS}) )?(?:{_COUNT_KEYS}))"
    rf"(?:(?!\w| of| number of| time)|(?<=第))"
    rf"(?P<filler>[^\d\n|;.]{{0,24}}?)(?P<first>{NUMBER})(?![\w:]|[.,]\d|\s?(?:s|sec|seconds|hz|fps|ms)\b)"
    rf"(?:\s?(?:-|→|to|->)\s?(?P<last>\d{{1,6}})(?![\w:.]))?"
)
_BEFORE_COUNT = 16  # characters that "running" and the like may take before the word for count
_COUNT_HINT = re.compile(r"count|total|tally|sum|cumul|cont|cuent|compt|anzahl|[^\x00-\x7f]")


def running(view: str, start: int, end: int) -> list[re.Match[str]]:
    """The running counts in view[start:end]: matches of `RUNNING`, which is slow where there is none."""
    hint = _COUNT_HINT.search(view, start, end)
    if hint is None:
        return []
    return list(RUNNING.finditer(view, max(start, hint.start() - _BEFORE_COUNT), end))


RUNNING_KEY = re.compile(_RUNNING_KEYS)

PLURALS = (
    r"times|contacts|hits|touches|collisions|bounces|impacts|blinks|flashes|flickers|pulses|"
    r"transitions|changes|"
    r"switches|events|rebounds|strikes|reversals|jumps|shifts|occurrences|"
    r"veces|fois|vezes|contactos|kontakte|übergänge|cambios|раза?|mal"
)
STATED = re.compile(
    rf"(?<![\w#.:])(?P<n>{NUMBER})[\s-](?:[\w-]{{1,20}} ){{0,3}}?(?:{PLURALS})\b(?! (?:so far|now|"
    rf"per|in total so far))"
    r"|(?P<twice>\btwice\b)|(?P<thrice>\bthrice\b)|(?<!\w)x\s?(?P<x>\d{1,3})(?!\w)|"
    r"(?<![0-9a-z.:第])(?P<cjk>\d{1,3}) ?(?:次|回|번)"
)
NOT_STATED_BEFORE = re.compile(
    r"(?:\b(?:state|node|wall|frame|event|blink|contact|transition|ball|star|circle|step|no\.|number|"
    r"every|each|of|to|"
    r"and|or)|\b(?:count|tally|number)\s?[:=]?|#)\s*$"
)

ORDINAL_LABEL = re.compile(
    rf"(?:event|contact|blink|flash|transition|bounce|hit|touch|collision|impact|change|switch|step|"
    rf"entry|frame|row|item|line|flicker|touch|log|"
    rf"no\.|pulse|rep(?:etition)?|cycle|lap|clap|jump|squat|(?:push|pull|sit)-?up|事件|ereignis|evento|événement|イベント|событие)\s*(?:no\.?|number|#)?\s*(?:\d{{1,4}}|"
    rf"{NUMBER})\b"
    rf"|(?:the )?(?:{ORDINALS})(?: (?:wall |state )?(?:event|contact|blink|flash|transition|bounce|"
    rf"hit|touch|collision|"
    rf"impact|change|switch|pulse))?"
)
