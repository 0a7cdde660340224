"""What names mean in wikitext: namespaces, tags, templates, entities, in the common languages.

Namespace names are MediaWiki's own translations; a name of any language counts on any wiki, for
pages are copied from one to another with their links.

Kernels look names up in bytes: hashed into slots, every hit compared byte by byte.
"""

from html.entities import name2codepoint

import numpy as np
from numba import njit

from sparkbias.core.pointers import Pointer

# Links to them stand beside the text: pictures, categories, sounds.
FILE_NAMESPACES = (
    "File Image Media Datei Bild Medium Fichier Média Archivo Imagen Medio Immagine Ficheiro "
    "Imagem Arquivo Multimédia Bestand Afbeelding Fil Plik Grafika Файл Изображение Медиа "
    "Зображення Медіа Картинка Сурет ファイル 画像 メディア 文件 图像 檔案 圖像 媒体 媒體 "
    "파일 그림 미디어 "
    "ملف صورة وسائط پرونده تصویر מדיה קובץ תמונה Soubor Obrázok Súbor Dosya Resim Ortam "
    "Fájl Kép Fișier Imagine Tiedosto Kuva Αρχείο Εικόνα Μέσο Datoteka Slika Датотека Слика Berkas "
    "Gambar Tập_tin Hình ไฟล์ ภาพ चित्र फ़ाइल படிமம் Fitxer Imatge Fitxategi Irudi Dosiero Mynd Skrá "
    "Vaizdas Attēls Pilt Fayl Ficheru Imaxe Fasciculus Imago"
)
CATEGORY_NAMESPACES = (
    "Category Kategorie Catégorie Categoría Categoria Categorie Kategori Kategoria Kategória "
    "Категория Категорія Категорија Kategorija カテゴリ 分类 分類 분류 تصنيف رده קטגוריה "
    "Kategooria "
    "Luokka Κατηγορία Thể_loại หมวดหมู่ श्रेणी பகுப்பு Kategorio Flokkur Kateqoriya Kategoriya Санат"
)

# A link to another project shows the page's name, without the prefix.
PROJECTS = (
    "w wikipedia wikt wiktionary s wikisource q wikiquote b wikibooks n wikinews v wikiversity voy "
    "wikivoyage c commons d wikidata m meta mw species wikispecies"
)

# Elements whose content is no prose, and goes with them.
DROPPED_ELEMENTS = (
    "ref references math chem ce gallery syntaxhighlight source timeline imagemap score hiero pre "
    "graph mapframe maplink inputbox templatedata templatestyles indicator table style script "
    "includeonly categorytree dynamicpagelist charinsert rss section"
)
# Tags that stand between words of one line, between lines, and between paragraphs.
INLINE_TAGS = (
    "b i u s em strong small big sub sup span font tt code kbd samp var cite dfn del ins strike "
    "abbr bdi bdo q a mark ruby rb rp rt rtc time data wbr noinclude onlyinclude poem lang img"
)
LINE_TAGS = "br div center tr td th li ul ol dl dd dt caption thead tbody tfoot hr"
PARAGRAPH_TAGS = "p blockquote h1 h2 h3 h4 h5 h6"

# Templates that only dress a text, by the parameter that holds it; all others are dropped.
TEXT_FIRST = (
    "nowrap nobr small smaller big larger abbr sic tlit quote blockquote cquote quotation rquote "
    "pull_quote bq smallcaps sc strong em nobold noitalic not_a_typo lang-en linktext angbr"
)
TEXT_SECOND = "lang langx transl transliteration"

FILE, PROJECT = 1, 2  # namespaces
INLINE, LINE, PARAGRAPH, NOWIKI, DROPPED = 1, 2, 3, 4, 5  # tags; DROPPED + n: the nth such element
UNKNOWN = 0

# What is asked about a name. Only the names of entities tell capitals from small letters.
NAMESPACE, TAG, TEMPLATE_TEXT, ENTITY = map(ord, "ntpe")

_HARD_BLANKS = dict.fromkeys(("nbsp", "ensp", "emsp", "thinsp"), ord(" "))


def _spellings(names: str) -> list[str]:
    """The names of a list, with _ and with a blank for it, and both cases of the first letter.

    Only ASCII is folded by the kernels.
    """
    plain = [form for name in names.split() for form in (name, name.replace("_", " "))]
    return plain + [name[0].lower() + name[1:] for name in plain]


def _meanings() -> dict[bytes, int]:
    """What is asked and the name -> the answer."""
    texts = dict.fromkeys(_spellings(TEXT_FIRST), 1) | dict.fromkeys(_spellings(TEXT_SECOND), 2)
    kinds = ((INLINE_TAGS, INLINE), (LINE_TAGS, LINE), (PARAGRAPH_TAGS, PARAGRAPH))
    tags = {name: kind for names, kind in kinds for name in names.split()}
    dropped = {name: DROPPED + place for place, name in enumerate(DROPPED_ELEMENTS.split())}
    files = dict.fromkeys(_spellings(f"{FILE_NAMESPACES} {CATEGORY_NAMESPACES}"), FILE)
    folded_names = {
        NAMESPACE: files | dict.fromkeys(PROJECTS.split(), PROJECT),
        TAG: tags | dropped | {"nowiki": NOWIKI},
        TEMPLATE_TEXT: texts,
    }
    entities = name2codepoint | {"apos": ord("'")} | _HARD_BLANKS
    return {
        bytes([asked]) + name.encode().lower(): answer
        for asked, names in folded_names.items()
        for name, answer in names.items()
    } | {bytes([ENTITY]) + name.encode(): answer for name, answer in entities.items()}


_FNV_START, _FNV_PRIME = np.uint32(2166136261), np.uint32(16777619)
_UPPER_A, _UPPER_Z, _CASE_BIT = ord("A"), ord("Z"), np.uint8(32)

_MEANINGS = _meanings()
_LETTERS = np.frombuffer(b"".join(_MEANINGS), np.uint8)
_STARTS = np.cumsum([0, *map(len, _MEANINGS)], dtype=np.int32)  # of each name in the letters
_ANSWERS = np.array(list(_MEANINGS.values()), np.int32)
_LONGEST = max(map(len, _MEANINGS)) - 1


def _filled_slots() -> np.ndarray:
    """1 + the number of a name where its hash leads, or behind; 0 where there is none."""
    slots = np.zeros(1 << (4 * len(_MEANINGS)).bit_length(), np.int32)
    for number, name in enumerate(_MEANINGS):
        code = int(_FNV_START)
        for byte in name:
            code = (code ^ byte) * int(_FNV_PRIME) % 2**32
        slot = code % slots.size
        while slots[slot]:
            slot = (slot + 1) % slots.size
        slots[slot] = number + 1
    return slots


_SLOTS = _filled_slots()
_LAST_SLOT = _SLOTS.size - 1


@njit(cache=True, nogil=True)
def meaning(asked: int, data: Pointer, begin: int, end: int) -> int:
    """The answer about the name that lies there; UNKNOWN if it is not known."""
    if not 0 < end - begin <= _LONGEST:
        return UNKNOWN
    code = (_FNV_START ^ np.uint32(asked)) * _FNV_PRIME
    for at in range(begin, end):
        byte = data[at] if asked == ENTITY else folded(data[at])
        code = np.uint32((np.uint32(code) ^ np.uint32(byte)) * _FNV_PRIME)
    slot = np.int64(code) & _LAST_SLOT
    while _SLOTS[slot]:
        number = _SLOTS[slot] - 1
        if _is_name(number, asked, data, begin, end):
            return int(_ANSWERS[number])
        slot = (slot + 1) & _LAST_SLOT
    return UNKNOWN


@njit(cache=True, nogil=True)
def folded(byte: np.uint8) -> np.uint8:
    """The small letter of an ASCII capital, any other byte as it is."""
    if _UPPER_A <= byte <= _UPPER_Z:
        return np.uint8(byte | _CASE_BIT)
    return byte


@njit(cache=True, nogil=True)
def _is_name(number: int, asked: int, data: Pointer, begin: int, end: int) -> bool:
    first = _STARTS[number]
    if _STARTS[number + 1] - first - 1 != end - begin or _LETTERS[first] != asked:
        return False
    for place in range(end - begin):
        byte = data[begin + place] if asked == ENTITY else folded(data[begin + place])
        if byte != _LETTERS[first + 1 + place]:
            return False
    return True
