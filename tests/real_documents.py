"""Small real documents of each type that is converted, made from their texts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from email.message import EmailMessage

_SCHEMAS = "http://schemas.openxmlformats.org"
_OFFICE = "application/vnd.openxmlformats-officedocument"
_RELATIONS = f"{_SCHEMAS}/officeDocument/2006/relationships"


def pdf(*pages: str) -> bytes:
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        lines = " T* ".join(f"({line}) Tj" for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {lines} ET"
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * number} 0 R>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    out, offsets = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer<</Size {count}/Root 1 0 R>>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF".encode()


def docx(*paragraphs: str) -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    return _zipped(
        _package("word/document.xml", {"/word/document.xml": f"{_OFFICE}.wordprocessingml.document.main+xml"})
        | {
            "word/document.xml": f'<w:document xmlns:w="{_SCHEMAS}/wordprocessingml/2006/main">'
            f"<w:body>{body}</w:body></w:document>"
        }
    )


def pptx(*slides: str) -> bytes:
    names = [f"slides/slide{number}.xml" for number in range(1, len(slides) + 1)]
    kind = f"{_OFFICE}.presentationml"
    parts = {"/ppt/presentation.xml": f"{kind}.presentation.main+xml"}
    parts |= {f"/ppt/{name}": f"{kind}.slide+xml" for name in names}
    spaces = f'xmlns:a="{_SCHEMAS}/drawingml/2006/main" xmlns:p="{_SCHEMAS}/presentationml/2006/main"'
    ids = "".join(f'<p:sldId id="{256 + number}" r:id="r{number}"/>' for number in range(len(names)))
    files = _package("ppt/presentation.xml", parts)
    files["ppt/presentation.xml"] = (
        f'<p:presentation {spaces} xmlns:r="{_RELATIONS}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>'
    )
    files["ppt/_rels/presentation.xml.rels"] = _related({f"r{n}": ("slide", name) for n, name in enumerate(names)})
    for name, text in zip(names, slides, strict=True):
        files[f"ppt/{name}"] = (
            f"<p:sld {spaces}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody>"
            "</p:sp></p:spTree></p:cSld></p:sld>"
        )
    return _zipped(files)


def epub(title: str, *chapters: str) -> bytes:
    names = [f"c{number}.xhtml" for number in range(len(chapters))]
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    order = "".join(f'<itemref idref="{name}"/>' for name in names)
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "b.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier>'
        f"<dc:title>{title}</dc:title><dc:language>en</dc:language></metadata>"
        f"<manifest>{items}</manifest><spine>{order}</spine></package>",
    }
    for name, text in zip(names, chapters, strict=True):
        files[name] = f'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{text}</p></body></html>'
    return _zipped(files)


def html(title: str, text: str) -> bytes:
    script = "<script>var hidden = 'scripted';</script>"
    return f"<html><head><title>{title}</title>{script}</head><body><p>{text}</p></body></html>".encode()


def eml(subject: str, text: str) -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = subject, "ann@example.org", "bo@example.org"
    mail.set_content(text)
    mail.add_alternative(f"<p>{text}</p>", subtype="html")
    return mail.as_bytes()


def _package(main: str, parts: Mapping[str, str]) -> dict[str, str]:
    overrides = "".join(f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in parts.items())
    return {
        "[Content_Types].xml": f'<Types xmlns="{_SCHEMAS}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>',
        "_rels/.rels": _related({"r1": ("officeDocument", main)}),
    }


def _related(targets: Mapping[str, tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="{name}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_SCHEMAS}/package/2006/relationships">{rows}</Relationships>'


def _zipped(files: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            head = '<?xml version="1.0" encoding="UTF-8"?>' if name.endswith(("xml", "rels", "opf", "xhtml")) else ""
            archive.writestr(name, text if isinstance(text, bytes) else head + text)
    return out.getvalue()


MADE: Sequence[tuple[str, bytes]] = (
    ("boiler.pdf", pdf("The boiler was installed in 2019.", "Bleed the zanzibar radiator first.")),
    ("shed.docx", docx("The garden", "The zanzibar key is under the pot.")),
    ("plan.pptx", pptx("Roof plan", "The zanzibar tiles come in May.")),
    ("ferry.html", html("Harbour", "The zanzibar ferry leaves at noon.")),
    ("old.htm", html("Old page", "The zanzibar lighthouse is white.")),
    ("whale.epub", epub("Whales", "One", "The zanzibar whale sings.")),
    ("boat.eml", eml("The boat", "The zanzibar boat is blue. Größe 7.")),
)
"""Name and bytes; each holds the word zanzibar once, the PDF and the slides on page 2."""
