"""written_dates(): relative times in notes become dates, said on Saturday the 11th of April 2026."""

from __future__ import annotations

from datetime import date

import pytest

from search.dates import written_dates

SATURDAY = date(2026, 4, 11)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("call the plumber tomorrow", "call the plumber on 2026-04-12"),
        ("Tomorrow we paint", "On 2026-04-12 we paint"),
        ("the report is due by tomorrow.", "the report is due by 2026-04-12."),
        ("move tomorrow's meeting", "move the 2026-04-12 meeting"),
        ("pay it the day after tomorrow", "pay it on 2026-04-13"),
        ("dentist on Friday at 9", "dentist on 2026-04-17 at 9"),
        ("send it before Friday", "send it before 2026-04-17"),
        ("the net goes up Saturday", "the net goes up on 2026-04-18"),
        ("booked for next Monday morning", "booked for 2026-04-13 morning"),
        ("we meet next Monday", "we meet on 2026-04-13"),
        ("the audit is next week", "the audit is in the week of 2026-04-13"),
        ("renew it in three days", "renew it on 2026-04-14"),
        ("the parcel comes in 10 days", "the parcel comes on 2026-04-21"),
        ("the course starts in two weeks", "the course starts around 2026-04-25"),
        ("take out the bins tonight", "take out the bins on the evening of 2026-04-11"),
        ("I broke my tooth yesterday", "I broke my tooth on 2026-04-10"),
        ("she left three days ago", "she left on 2026-04-08"),
        ("rent goes up next month", "rent goes up in 2026-05"),
        ("we move next year", "we move in 2027"),
        ("明天给水管工打电话", "2026-04-12给水管工打电话"),
        ("明天9点开会", "2026-04-12 9点开会"),
        ("后天交房租", "2026-04-13交房租"),
        ("今晚倒垃圾", "2026-04-11晚上倒垃圾"),
        ("下周三交报名费", "2026-04-15交报名费"),
        ("周五之前给师傅", "2026-04-17之前给师傅"),
        ("三天后还书", "2026-04-14还书"),
        ("下周出差", "2026-04-13那一周出差"),
        ("下個月漲價", "2026年5月漲價"),
        ("月底前交报告", "2026年4月底前交报告"),
        ("明日、水道屋さんに電話", "2026-04-12、水道屋さんに電話"),
        ("来週の水曜に頼む", "2026-04-15に頼む"),
        ("月曜までにコピーする", "2026-04-13までにコピーする"),
        ("三日後に返す", "2026-04-14に返す"),
        ("今夜ゴミを出す", "2026-04-11夜ゴミを出す"),
        ("来週から値上げ", "2026-04-13の週から値上げ"),
        ("내일 배관공한테 전화해야 돼", "2026-04-12 배관공한테 전화해야 돼"),
        ("다음 주 수요일에 맡겨야 해", "2026-04-15에 맡겨야 해"),
        ("월요일까지 제출", "2026-04-13까지 제출"),
        ("3일 뒤에 반납", "2026-04-14에 반납"),
        ("오늘 밤 쓰레기 버리기", "2026-04-11 밤 쓰레기 버리기"),
        ("다음 주에 출장", "2026-04-13 주에 출장"),
        ("llamar mañana al fontanero", "llamar el 2026-04-12 al fontanero"),
        ("llamar mañana por la mañana", "llamar el 2026-04-12 por la mañana"),
        ("antes del jueves", "antes del 2026-04-16"),
        ("el miércoles que viene", "el 2026-04-15"),
        ("dentro de tres días", "el 2026-04-14"),
        ("esta noche saco la basura", "el 2026-04-11 por la noche saco la basura"),
        ("la semana que viene hay obras", "la semana del 2026-04-13 hay obras"),
        ("завтра позвонить сантехнику", "2026-04-12 позвонить сантехнику"),
        ("отправить договор до среды", "отправить договор до 2026-04-15"),
        ("в следующую среду отвезти смычок", "2026-04-15 отвезти смычок"),
        ("через три дня вернуть книгу", "2026-04-14 вернуть книгу"),
        ("сегодня вечером вынести мусор", "2026-04-11 вечером вынести мусор"),
        ("на следующей неделе ремонт", "на неделе с 2026-04-13 ремонт"),
    ],
)
def test_a_relative_time_becomes_its_date(said: str, written: str) -> None:
    assert written_dates(said, SATURDAY) == written


@pytest.mark.parametrize(
    "said",
    [
        "the shop is shut on Mondays",
        "we train every Friday",
        "open Thursday to Sunday",
        "releases are cut on the first Wednesday",
        "we met Anna on Friday",
        "one day I'll do it",
        "the 3rd of May at 9",
        "摊位周四到周日出摊",
        "设计师每周二来工地",
        "从四月起周日出摊",
        "以后天天跑步",
        "三月十七号",
        "豆は火曜と金曜に届く",
        "毎週月曜は定休",
        "매주 목요일에 배포해",
        "월요일부터 금요일까지 일해",
        "los lunes no viene nadie",
        "abre de martes a sábado",
        "las clases son por la mañana",
        "она торгует по субботам",
        "каждую пятницу баня",
    ],
)
def test_what_names_no_single_time_stays_as_it_is(said: str) -> None:
    assert written_dates(said, SATURDAY) == said


def test_the_year_and_the_month_end_are_crossed() -> None:
    assert written_dates("call her tomorrow", date(2026, 12, 31)) == "call her on 2027-01-01"
    assert written_dates("下个月", date(2026, 12, 5)) == "2027年1月"
    assert written_dates("in 900 days", date(9999, 1, 1)) == "in 900 days"
