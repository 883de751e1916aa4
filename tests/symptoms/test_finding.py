"""Texts lead to symptoms by their words, in two languages, and lines of logs by who writes them."""

from __future__ import annotations

import pytest

from offsetproof.symptoms.declared import meanings, symptoms
from offsetproof.symptoms.finding import FOUND, Found, find, is_said
from offsetproof.symptoms.log_lines import is_in, steps_in, stories_with
from offsetproof.symptoms.words import Meanings, Scale

STAMP = "2024-05-01 12:00:00,123 INFO RocketmqClient - "
MQ = "MessageQueue [topic=orders, brokerName=a, queueId=3]"
MEANINGS = Meanings({"offset": ("progress", "位点"), "lost": ("skipped", "丢失"), "reset": ("重置",)})


def ids(found: Found) -> list[str]:
    return [match.symptom.id for match in found.answers]


def test_words_that_mean_one_thing_are_one_in_both_languages() -> None:
    assert MEANINGS.of("The Progress was skipped") == {"offset", "lost"}
    assert MEANINGS.of("位点丢失") == {"offset", "lost"}
    assert MEANINGS.of("resetOffset") == {"reset", "offset"}


def test_unknown_chinese_is_taken_two_characters_at_a_time_without_its_glue() -> None:
    assert MEANINGS.of("重置的昨天夜里") == {"reset", "昨天", "天夜"}


def test_rare_words_weigh_more_and_unknown_ones_nothing() -> None:
    scale = Scale.of([frozenset({"offset", "lost"}), frozenset({"offset", "reset"}), frozenset({"offset"})])
    assert scale.weight(["lost"]) > scale.weight(["offset"]) > scale.weight(["wombat"]) == 0
    asked = frozenset({"lost", "wombat"})
    assert scale.nearness(asked, frozenset({"lost"})) == 1
    assert scale.nearness(asked, frozenset({"reset"})) == 0


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("the reset did not stick", "reset-undone"),
        ("resetOffsetByTime has no effect", "reset-without-effect"),
        ("重置消费位点没有效果", "reset-without-effect"),
        ("two consumers get the same messages", "two-consumers"),
        ("lag does not fall", "offset-stands"),
        (
            "resetOffsetByTime said success, after a while the consumers are back at the old offset",
            "reset-undone",
        ),
        ("主节点宕机 slave 接管后消息重复消费", "set-back-by-fail-over"),
        ("setAckIndex", "ack-index"),
        ("what does unsubscribe() do to queues", "queue-without-owner"),
        ("kill -9 之后重复消费", "repeated-after-kill"),
        ("orderly consumer: a queue is not consumed any more after a rebalance", "orderly-not-consumed"),
        ("broadcasting consumers consume everything again after kill -9", "broadcast-begins-anew"),
        (f"{STAMP}doRebalance, g, add a new mq failed, {MQ}, because lock failed", "orderly-waits-for-lock"),
    ],
)
def test_text_finds_its_symptom_first(text: str, first: str) -> None:
    assert ids(find(text))[0] == first


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("consumed twice after rolling deployment", "repeated-after-restart"),
        ("滚动发布期间消息被消费了两次", "repeated-after-restart"),
        ("duplicates after restart", "repeated-after-restart"),
        ("rolling restart of the brokers, messages are consumed twice", "set-back-by-broker"),
        ("升级broker之后重复消费", "set-back-by-broker"),
        ("offset reset has no effect", "reset-without-effect"),
        ("offset reset has no effect on one queue", "reset-in-part"),
        ("a broadcast consumer consumes messages twice after a restart", "broadcast-repeated"),
    ],
)
def test_restart_is_a_consumers_and_a_reset_one_of_all_queues_unless_the_text_says_more(text: str, first: str) -> None:
    assert ids(find(text))[0] == first


@pytest.mark.parametrize("text", ["consumed twice after rolling deployment", "滚动发布期间消息被消费了两次", "restart"])
def test_broker_that_nobody_names_is_not_among_the_first_two(text: str) -> None:
    kinds = [match.symptom.kind for match in find(text).answers]
    assert "broker" not in kinds[:2]
    assert kinds[0] == "repeated"


def test_symptom_itself_speaks_of_what_it_is_about() -> None:
    about = [symptom for symptom in symptoms() if symptom.about]
    assert [each.id for each in about if not is_said(each, each.cases[0], meanings().of(each.says))] == []
    assert len(about) > 10


def test_case_whose_own_symptom_is_nearest_is_meant() -> None:
    match = find("the orderly consumer called unsubscribe() and keeps the broker's lock for a minute").answers[0]
    assert (match.symptom.id, match.case.name) == ("orderly-two-listeners", "orderly I9-locked-unsubscribe")


def test_answers_are_near_enough_and_in_order() -> None:
    found = find("the offset of a queue is lost")
    near = [match.nearness for match in found.matches]
    assert near == sorted(near, reverse=True)
    assert all(match.nearness >= max(FOUND, near[0] / 2) for match in found.answers)
    assert find("the offset of a queue is lost") == found


@pytest.mark.parametrize("text", ["", "the", "wombat", "的", "?!"])
def test_what_says_nothing_finds_nothing(text: str) -> None:
    assert find(text).answers == ()


def test_what_is_left_out_is_found_as_well() -> None:
    left_out = find("POP consumers").left_out
    assert any("POP" in each.words for each in left_out)


@pytest.mark.parametrize(
    ("line", "symptom"),
    [
        (
            f"[BUG]doRebalance, g, remove unnecessary mq, {MQ}, because pull is pause, so try to fixed it",
            "queue-not-consumed",
        ),
        ("suspend this consumer, shop", "reset-undone"),
        (f"remove unused mq, {MQ}, shop", "repeated-after-rebalance"),
        (f"doRebalance, g, remove unnecessary mq, {MQ}", "repeated-after-rebalance"),
        (
            f"processQueue is dropped without process consume result. messageQueue={MQ}, msgs=[]",
            "repeated-after-rebalance",
        ),
        ("the request offset: 9 over flow badly, broker max offset: 4, consumer: /10.0.0.1", "topic-created-again"),
        ("load store/config/consumerOffset.json failed, and try to load backup file", "offset-file-lost"),
        ("BROADCASTING, the message consume failed, drop it, MessageExt [queueId=3]", "broadcast-skipped"),
    ],
)  # fmt: skip
def test_line_of_a_log_leads_to_its_symptom_whatever_stands_in_front(line: str, symptom: str) -> None:
    assert ids(find(f"{STAMP}{line}"))[0] == symptom
    assert find(f"{STAMP}{line}").left_out == ()


def test_line_of_a_log_leads_to_stories_of_the_release_that_is_asked() -> None:
    line = f"{STAMP}the pull request offset illegal, PullRequest [consumerGroup=g]"
    of_4, of_5 = (ids(find(line, release)) for release in ("4.9.4", "5.3.3"))
    assert "orderly-two-listeners" in of_4
    assert "broadcast-reset" in of_5
    assert "broadcast-reset" not in of_4, "its story with this line begins with a later client"


@pytest.mark.parametrize("release", ["", "4.9.4", "5.3.3"])
def test_illegal_offset_leads_to_causes_in_clustering_before_those_of_other_modes(release: str) -> None:
    found = ids(find(f"{STAMP}the pull request offset illegal, PullRequest [consumerGroup=g]", release))
    assert found[:3] == ["reset-undone", "topic-created-again", "set-back-by-fail-over"]


def test_line_of_several_symptoms_is_less_near_to_each() -> None:
    near = {match.symptom.id: match.nearness for match in find(f"{STAMP}the request offset: 9 over flow badly").matches}
    assert near["topic-created-again"] == near["set-back-by-fail-over"] == round(1 / 2**0.5, 3)


def test_line_of_a_log_names_the_steps_that_write_it() -> None:
    line = f"{STAMP}suspend this consumer, shop"
    assert "rocketmq" in {step.subject for step in steps_in(line)}
    assert "I5-late-poll" in stories_with(line)
    assert steps_in("nobody writes this") == ()


def test_message_without_letters_of_its_own_is_in_no_line() -> None:
    assert not is_in("{} OK", "load x OK")
