"""English verbs that names and descriptions of tools begin with."""

WORDS = """
accept activate add aggregate analyse analyze answer append apply approve archive ask assign
attach authenticate authorize average block book build calculate call cancel change charge check
choose classify clean clear clone close collect combine compare complete compose compress
compute confirm connect convert copy count create cut deactivate decide decline decode
decompress decrypt delete deploy describe detect disable disconnect dismiss display divide
download draw draft edit emit enable encode encrypt end enqueue enrich ensure enter estimate
evaluate execute export extract fetch fill filter find fire fix flag follow forget format
forward generate geocode get give go grant group hash hide identify import index infer insert
inspect install invite invoke issue join keep kill label launch leave list listen load locate
lock log look lookup mail make map mark match measure merge message modify monitor move mute
multiply name navigate negotiate normalize notify open order pack parse pass patch pause pay
perform pick pin ping place plan play poll post predict prepare press preview print process
produce publish pull purchase push put query queue quote rank rate reach read rebuild receive
recommend record redeem redirect refresh refund register reject release reload remind remove
rename render renew reopen repeat replace reply report request reschedule reserve reset resize
resolve respond restart restore resume retrieve retry return reverse review revoke roll rotate
route run sample save say scale scan schedule score scrape search see select sell send set share
ship show shut sign simulate skip solve sort split star start stop store stream submit subscribe
subtract suggest sum summarise summarize suspend switch sync tag take tell terminate test
tokenize track train transcribe transfer transform translate trigger trim truncate turn type
unblock undo unlock unpin unsubscribe update upgrade upload upsert use validate verify view
visit vote wait wake walk watch weigh wipe withdraw work write zip
"""

VERBS = frozenset(WORDS.split())


def is_a_verb(word: str) -> bool:
    """Whether a word is a verb, plain (`get`) or in the third person (`gets`, `searches`)."""
    word = word.lower()
    return any(
        form in VERBS for form in (word, word.removesuffix("s"), word.removesuffix("es"))
    ) or (word.endswith("ies") and f"{word[:-3]}y" in VERBS)
