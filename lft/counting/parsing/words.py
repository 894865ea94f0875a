"""The vocabulary of ledgers: what makes an entry an event, and what makes it something else.

All patterns expect a view of `lft.counting.parsing.text` (lower case, ASCII digits). English is treated in
full; of other languages the words that a short ledger needs.
"""

from __future__ import annotations

import re

from lft.counting.parsing.numerals import NUMBER, ORDINALS
from lft.counting.parsing.numerals import WORD as NUMBER_WORD

_COLOUR = r"(?:bright\w*|solid|lit|white|yellow|red|green|blue|orange|purple|pink|cyan|magenta)"
# Coming near is an event by itself, but not where the touch that it leads to is denied.
_COMING_STEMS = (
    r"reach|revers|deflect|meets?\b|arriv(?:es?|ed|ing) at|gets? (?:to|there)\b|chang(?:es?|ed|"
    r"ing) (?:its )?(?:direction|course)"
)
_DONE_STEMS = (
    r"contact|touch|hit(?:s|ting)?\b|collid|collision|bounc|strik|struck|impact|rebound|ricochet|bump|slam|"
    r"crash|blink|flash|flicker|puls(?:es?|ing|ed)\b|light(?:s|ed|ing)?[ -]ups?|lit up|illuminat|"
    rf"turn(?:s|ed|ing)? (?:on|off|{_COLOUR})|(?:goes|comes|went|came) (?:on\b|{_COLOUR})|switch|brighten|"
    r"disappear|vanish|reappear|transition|chang(?!\w{0,3} (?:its )?(?:direction|course))|shift|jump|"
    r"(?:tak(?:es?|ing)|took) (?:over|its place|the place)|alternat|flush (?:with|against)|against (?:the |"
    r"a )?(?:[\w-]{1,12} )?wall"
)
EVENT_STEMS = rf"{_DONE_STEMS}|{_COMING_STEMS}"
_STATE_MOVES = (
    r"(?:moves?|moved|moving|goes|went|going|enter(?:s|ed)?|becomes?|became|into) (?:to |into )?"
    r"(?:the )?(?:state|node) [\"'a-z0-9]|highlight\w* (?:moves?|moved|goes|passes|advances|proceeds)"
)
_TO_LETTER = (  # a move to a state that is a letter; an article is followed by a noun
    r"to (?:(?:the )?(?:state|node|circle|box|label) )?[\"'(]?[a-h]\d?\b(?=[\s\"')@]*(?:$|[.,;:(|→=-]|(?:at|"
    r"and|in|on|around|about|where|when|which|then|for|until|while|from|with|by|again|once|this|count)\b))"
)
_WEAK_STEMS = (
    r"perform(?:s|ed)?\b|(?:record|register|detect|logg)ed\b|complet(?:es|ed)\b|appear|fill|glow|fade|dim(?:s|med|ming)?\b|becom|becam|enter|"
    r"activat|event|occur|recur|again\b|lit\b|bright\b"
)
EVENT_NOUNS = (
    r"(?:event|contact|blink|flash(?:e(?=s))?|flicker|pulse|transition|bounce|hit|touch(?:e(?=s))?|collision|"
    r"impact|change|switch|rep(?:etition)?|cycle|lap|clap|jump|squat|(?:push|pull|sit)-?up)s?\b"
)
_STATE_STEMS = (
    rf"(?:→|->|=>)|\b(?:de|von|da|du|от|из|с|van) \W?[a-h]\W? (?:à|a|nach|zu|auf|к|в|naar|para) \W?[a-h]\b|"
    rf"\bto (?:the )?(?:state|node) [\"'a-z0-9]|\b(?:{_STATE_MOVES})|\b{_TO_LETTER}|"
    r"\b(?:is|are|was) (?:lit|bright|on|active|highlighted) (?:only )?(?:from|as of|starting at|since) "
)
STRONG = re.compile(rf"\b(?:{EVENT_STEMS})|{_STATE_STEMS}")
DONE = re.compile(rf"\b(?:{_DONE_STEMS})|{_STATE_STEMS}")
WEAK = re.compile(rf"\b(?:{_WEAK_STEMS})")
FOREIGN_EVENT = re.compile(
    r"碰|撞|接触|触|闪|亮|变|切换|转换|转移|移到|跳到|眨|到达|ぶつか|当た|衝突|点滅|点灯|遷移|切り替|変わ|移る|移り|光|geçiyor|geçer|çarp|temas|yanıp|"
    r"değiş|raakt|botst|knippert|verandert|berühr|trifft|prallt|stößt|kontakt|wechsel|springt|übergang|blitz|"
    r"leuchtet|blinkt|golpea|toca|choca|rebota|contacto|parpade|cambia|transici|destell|se enciende|"
    r"se ilumina|pasa a|frappe|heurte|touche (?:l[ae]|un|de)|rebond|clignot|bascul|s'allume|s'illumine|"
    r"passe à|passe au|acende|brilla|brilha|encend|aufleucht|scintill|s'éclaire|atteint|alcanza|atinge|"
    r"raggiunge|erreicht|pisca|muda|bate|toque|colide|se acende|passa (?:a|para)|tocca|urta|colpisce|rimbalz|"
    r"lampegg|si accende|si illumina|касает|касан|удар|мига|вспых|загора|переход|переключ|меня|부딪|닿|접촉|충돌|깜|"
    r"켜|전환|바뀌|바뀜|टकरा|स्पर्श|झपक|बदल|चमक|يصطدم|تصطدم|تلمس|تومض|تنتقل|يتغير|تتغير|تضيء|تلامس|يلمس|يومض|ينتقل|"
    r"انتقال"
)
# What a clause may name and still leave its verb to the clause before: places, order, repetition, short words.
LINK = re.compile(
    rf"{ORDINALS}|{NUMBER_WORD}|then|and|the|again|next|final(?:ly)?|around|about|approximately|roughly|also|"
    rf"too|once|they|these|those|happen|occurs?|takes?|place|later|number|event|contact|blink|now|here|there|"
    rf"thing|happens|happened|occurs|"
    r"twice|more|last(?:ly)?|time|times|another|other|opposite|same|does|did|doing|so|with|followed|likewise|"
    r"similarly|left|right|walls?|ball|star|shape|square|node|state|surface|side|upper|lower|top|bottom|"
    r"seconds?|mark|for|from|after|that|this|into|onto|back|yet|afterwards?|lit|just|die|der|das|den|dem|und|"
    r"dann|danach|noch|einmal|wieder|erneut|schließlich|zuletzt|linken?|rechten?|links|rechts|wand|el|la|los|"
    r"las|otra|vez|nuevo|nuevamente|luego|después|finalmente|izquierd[ao]|derech[ao]|pared|puis|ensuite|"
    r"encore|fois|nouveau|enfin|celui|celle|gauche|droite?|mur|depois|novamente|por|fim|esquerd[ao]|"
    r"direit[ao]|parede|poi|ancora|infine|quella?|sinistr[ao]|destr[ao]|parete|снова|затем|потом|опять|"
    r"наконец|ebenso|ebenfalls|auch|sowie|également|aussi|también|também|anche|также|тоже|kurz|bei|mit|etwa|"
    r"con|com|avec|les|del|aux|all[ae]?|лев\w{2}|прав\w{2}|стен\w|pour|para|zur|primer[ao]?|segund[ao]|"
    r"tercer[ao]|última|vez|primeira|terceira|premi[eè]re?|deuxième|troisième|dernière|erste[ns]?|"
    r"zweite[ns]?|dritte[ns]?|letzte[ns]?|mal|prim[ao]|second[ao]|terz[ao]|ultim[ao]|volta|раз|второй|третий|"
    r"الجدار|والجدار|الأيمن|الأيسر|عند|الثانية|ثم|zum|auf|nach|секунд\w{0,2}|segundos?|sekunden?|secondes?|"
    r"second[io]"
)
IS = re.compile(r"\b(?:is|are|was|were|it's|ist|está|estaba|est|était)\b")
TELLS = re.compile(
    r"\b(?:stands?|walks?|leaves?|exits?|pauses?|shows?|showing|displays?|see|seen|saw|looks?|watch|check|frames?|starts?|begins?|begin|stops?|"
    r"ends?|settles?|comes? to|s'arrête|se detiene|hält|turns? (?:a?round|back)|will|may|could|should|think|"
    r"same\b.{0,20}\bas|because|only the|dark|unlit|off|background|count|total|video|clip)\b|[?]"
)
FOREIGN_NOT = re.compile(
    r"s'immobil|s'arrêt|se detiene|si ferma|останав|停在|在中央|在中间|静止|没有|沒有|无|無|未|不|初始|起始|保持|停留|"
    r"结束|なし|ない|なかっ|初期|"
    r"終了|まま|없|초기|유지|नहीं|प्रारंभिक|\b(?:kein\w*|nicht|ohne|anfangs\w*|bleib\w*|sin|ning[uú]n\w*|inicial\w*|"
    r"permanece|aucun\w*|sans|reste|rien|nichts|nada|niente|nessun\w*|ничего|больше не|initiale\b|nenhum\w*|"
    r"sem|нет|без|не|начальн\w*|остает\w*|остаёт\w*)\b|\bno hay\b|لا يوجد|بدون|الحالة الأولية"
)

_NEGATABLE = rf"(?:{EVENT_STEMS}|{_WEAK_STEMS}|activity|movement|motion|action|interaction|wall|rest\b)"
NEGATION_HINT = re.compile(
    r"n't\b|\b(?:no|not|never|without|neither|nor|zero|none|lack|absence|absent|free|avoid|fail|about|almost|"
    r"nearly|yet|before|close|short|prior|instead|rather|after|having|misses|until|since|cannot|would|might|"
    r"thought|assumed|suspected|if|whether|look|search|scan|watch|check)"
)
# The stem that a negation reaches, up to four words on, with what is coordinated: "no blinks or changes".
NEGATED = re.compile(
    r"(?:\w{2,8}n't|\b(?:no|not|nothing|never|without|neither|nor|zero|lacks?|lacking|absence of|free of|"
    r"avoid\w*|fail(?:s|ed|ing)? to|about to|almost|nearly|yet to|before|close to|short of|prior to|"
    r"instead of|rather than|after|having|misses|until|since|cannot|thought|assumed|suspected|"
    r"would(?! (?:say|put|estimate|place|guess|count))|might|if|whether|(?:look|search|scan|watch|check)(?:s|"
    r"ed|ing)? for))"
    rf"(?:[\s-]{{1,3}}[\w'-]{{1,24}}){{0,4}}?[\s-]{{1,3}}{_NEGATABLE}\w{{0,12}}(?:[\s-]{_NEGATABLE}\w{{0,12}}){{0,2}}"
    rf"(?:(?:\s?[,/]\s?(?:(?:or|nor|and)\s)?|\s(?:or|nor|"
    rf"and)\s)(?:[\w'-]{{1,24}}\s){{0,2}}?{_NEGATABLE}\w{{0,12}}){{0,3}}"
)
NO = re.compile(r"n't\b|\b(?:no|not|never|without|neither|nor|none|nothing)\b")
NOTHING = re.compile(r"\b(?:none|nothing|n/a|nil|null|nan|neither)\b")

# The second half of an event that has a visible start and end; no event of its own beside a line of the first.
OFF = re.compile(
    r"\b(?:(?<!bounce )(?<!bounces )(?<!bounced )(?<!bouncing )off\b(?! (?:of )?(?:the |a |"
    r"its )?(?:\w{1,12} )?(?:wall|side|edge|border|ceiling|floor))|goes? (?:dark|out|dim)|went (?:dark|out|"
    r"dim)|gone (?:dark|out|off|dim)|turns? (?:dark|dim)|darkens?|dims?|dimmed|fades? out|extinguish\w*|"
    r"unlit|deactivat\w*|(?:returns?|goes|reverts?|changes?|back) (?:back )?to (?:its |the |an? )?"
    r"(?:outline\w*|dark|dim|off|unlit|normal|original|initial|hollow|empty)|empties|leaves? (?:the |"
    r"a )?(?:\w+ )?wall|moves? (?:away|off)|separates?|(?:(?:blink|flash|contact|glow|pulse|"
    r"illumination) )?(?:ends?|stops?)|disappears?|vanish\w*)\b"
)
ON = re.compile(
    r"\b(?:on\b(?! the)|lights? up|lit(?: up)?|lightens|illuminat\w*|brightens?|flash\w*|blinks?|fills?|"
    r"filled|glows?|activat\w*|appears?|reappears?|turns? (?:solid|bright)|(?:becomes?|goes) (?:solid|bright|"
    r"lit|filled)|touch\w*|hits?|contacts?|reach\w*|strikes?|bounces? (?:off|against)|starts?|begins?)\b"
)

INITIAL = re.compile(
    r"\binitial(?:ly|i[sz]ed)?\b(?! (?:contact|blink|transition|hit|touch|flash|collision|impact|bounce|"
    r"change))"
    r"|\b(?:video|clip|sequence|footage|animation|scene|recording|film)\w* (?:starts?|begins?|opens?|started|"
    r"began|opened)"
    r"|\b(?:starts?|begins?|opens?|started|began|opened|beginning|starting) (?:in|at|from|with|as|out|off|"
    r"near|between|stationary|state|position|point|on|the)\b|\b(?:start|beginning|"
    r"opening) of (?:the )?(?:video|clip|sequence|footage)"
    r"|\bstart (?:state|position|frame)\b|\bat (?:the )?(?:start|beginning)\b|^\W*(?:start|begin)\W*$"
)
STAY = re.compile(
    r"\b(?:remain|stay|stationary|static|idle|idling|unchanged|constant|continuous|motionless|rest(?:s|"
    r"ing)?\b|halt\b|comes? to (?:a )?(?:rest|stop)|float|hover|hold(?:s|ing)?\b|still\b|persist|in motion|"
    r"steady|steadily|continues? (?:to|in|until|through)|end of (?:the )?"
    r"(?:video|clip|sequence|footage)|(?:video|clip|sequence|footage) ends?|until (?:the )?end|"
    r"final (?:state|position)"
    r"|end(?:s|ing)? (?:in|state|position)|visible|located|positioned|throughout|(?:in|at|near|around|"
    r"within) (?:the )?(?:cent(?:er|re)|middle|mid)\b|between the (?:two )?walls|is off\b|(?:near|close to|"
    r"next to) (?:the |a )?(?:\w+ )?(?:walls?|sides?|edges?|borders?)|ball (?:is )?(?:cent(?:er|re|ral)|"
    r"mid)\w*|(?:last|final) frame\b|(?:video|clip|sequence|footage|recording|film)\w* (?:is )?(?:over|done|"
    r"finish\w*|conclud\w*|stops?)\b)|^\W*(?:off|(?:the )?end|ends|finish|stop)\W*$"
)
OPEN_END = re.compile(
    r"[^\w\n]{0,8}(?:(?:to|until|through|-)[\s-]{1,3})?(?:the )?(?:end|onwards?|onward|eof)\b"
)
MOTION = re.compile(
    r"\b(?:toward|approach|head(?:s|ing|ed)\b|travel|drift|returns? to (?:the )?(?:cent|mid)|leav(?:es|ing)|"
    r"depart|in (?:flight|transit)|mid-flight|half-?way|on its way|moves?|moving|moved|rolls?|rolling|flies|"
    r"flying|swings?|crosses|crossing|passes|passing|reced|retreat|accelerat|decelerat|slow(?:s|ing)|"
    r"starts? (?:moving|to move)|begins? (?:moving|to move)|midway|mid-air)"
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
    r"total time|run ?time|tolerance|resolution|sampling|sampled|time range|time span|active (?:span|phase|"
    r"window)|lasts|lasted|lasting|video time)\b|时长|间隔|dauer|duración|durée"
)
RETRACTED = re.compile(
    r"\b(?:broken off|aborted|abandoned|incomplete|unfinished|cut short|(?:strike|cross|leave|take) (?:this|"
    r"that|it)\b|left out|retract(?:ed|ion)?|(?:not|n't|cannot be) (?:confirmed|verified)|unconfirmed|"
    r"rejected|dismissed|withdrawn|ruled out|false (?:positive|alarm|detection)|disregard|ignore[ds]?|"
    r"discard(?:ed|ing)?|exclud(?:ed?|ing)|remov(?:ed?|ing)|invalid|(?:not|n't) (?:be )?(?:count|"
    r"includ)(?:e?d|e)?|does ?n.t count|uncounted|\w{2,6}n't (?:count|include)|scratch (?:that|this)|"
    r"not an? (?:event|contact|blink|transition|hit|touch|real|true|valid|change|bounce|flash))\b"
)
CORRECTION = re.compile(
    r"\b(?:wait|actually|more (?:precisely|exactly|accurately)|or rather|to be (?:precise|exact)|correction|"
    r"corrected|hold on|scratch that|on second thought|oops|i mean|make that|should be|no, )\b"
)

COUNT_KEYS = (
    r"count(?:er|s|ing)?|tally|total|sum|cumulative|计数|累计|總數|总数|次数|カウント|累計|合計|回数|zähler\w*|anzahl|recuento|"
    r"conteo|cuenta|contador|compteur|compte|décompte|contagem|счетчик|счётчик|счет|счёт|누적|카운트|횟수|गिनती|"
    r"गणना|العدد|العداد|第(?=\d{1,4} ?(?:次|回|度))"
)
_RUNNING_KEYS = r"running|cumulative|so far|overall|total|累计|累計|누적|laufend\w*|acumulad\w*|cumul\w*"
# "running count: 3", "count is now 3", "total so far = 3"; "total of 12 contacts" says what is covered.
RUNNING = re.compile(
    rf"(?<![a-z])(?=[a-z\u0400-\uffff])(?P<key>(?:(?:{_RUNNING_KEYS}) )?(?:{COUNT_KEYS}))"
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
    r"times|contacts|hits|touches|collisions|bounces|impacts|blinks|flashes|flickers|pulses|transitions|"
    r"changes|switches|events|rebounds|strikes|reversals|jumps|shifts|occurrences|veces|fois|vezes|contactos|"
    r"kontakte|übergänge|cambios|раза?|mal"
)
STATED = re.compile(
    rf"(?<![\w#.:])(?P<n>{NUMBER})[\s-](?:[\w-]{{1,20}} ){{0,3}}?(?:{PLURALS})\b(?! (?:so far|now|per|"
    rf"in total so far))"
    r"|(?P<twice>\btwice\b)|(?P<thrice>\bthrice\b)|(?<!\w)x\s?(?P<x>\d{1,3})(?!\w)|"
    r"(?<![0-9a-z.:第])(?P<cjk>\d{1,3}) ?(?:次|回|번)"
)
ORDINAL_LABEL = re.compile(
    rf"(?:{EVENT_NOUNS}|(?:step|entry|frame|row|item|line|log|no\.|事件|ereignis|evento|événement|イベント|событие))"
    rf"\s*(?:no\.?|number|#)?\s*(?:\d{{1,4}}|{NUMBER})\b"
    rf"|(?:the )?(?:{ORDINALS})(?: (?:wall |state )?{EVENT_NOUNS})?"
)
