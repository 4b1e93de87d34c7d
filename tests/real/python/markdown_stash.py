# SPDX-License-Identifier: GPL-3.0-or-later
# One Markdown object converts all documents, without reset(): its stash of raw HTML grows.
# issue: https://github.com/Python-Markdown/markdown/issues/305
# package: python3-markdown
import leaks
import markdown

converter = markdown.Markdown(extensions=["tables"])
pages = {}


def render(number):
    text = "# Page %d\n\n" % number
    text += "".join("Item %d is *new*.\n\n" % i for i in range(5))
    text += "<div class='box'>%s</div>\n" % ("raw %d " % number * 40)
    return converter.convert(text)  # leaks


def work(number):
    pages[number % 20] = render(number)


leaks.run(work)
