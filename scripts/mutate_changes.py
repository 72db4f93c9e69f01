"""The changes of scripts/mutate.py: what one place of a source file may be changed to, by rule, and the text with all of them."""

import collections
import random
import re
import sys

KINDS = {
    "comparison": "a comparison is turned, or max and min are exchanged",
    "condition": "a condition or an operand of && and || is dropped, or a negation",
    "assignment": "an assignment, a clearing, an insertion or an erasure is left out",
    "off by one": "1 more or less; + and - exchanged",
    "exchange": "another variable, field, argument or enumerator of the same type",
    "effect": "a write, flush, message, timer or connection is left out, or a durable one no longer waits for the disk",
    "call": "a call of another part of the protocol is left out",
}

# Only report to a trace what happened.
TELLS = {"emit", "showBox", "showLearners", "ignore"}
EFFECTS = {"flush", "write", "writeLater", "send", "say", "sendDurable", "broadcast", "setTimer", "setTimerWithin", "cancelTimer",
           "set", "setWithin", "cancel", "mark", "askAge", "save", "connect", "disconnect", "exit", "noteLogged", "ask", "use"}
AN_EFFECT = re.compile(r"(ctx|hands)\.")
WEAKER = {"sendDurable": "send", "write": "writeLater"}
CHANGES_A_CONTAINER = {"clear", "reset", "erase", "erase_if", "insert", "emplace", "push_back", "pop_back", "sort"}
TURNED = {"<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="], "==": ["!=", "<=", ">="],
          "!=": ["==", "<", ">"]}
# Pairs of member functions that are as easily confused as two fields.
CONFUSED = {"acceptedEpoch": "currentEpoch", "currentEpoch": "acceptedEpoch", "epoch": "counter", "counter": "epoch",
            "front": "back", "back": "front", "learns": "serves", "serves": "learns"}
COUNTS = {"epoch", "counter", "acceptedEpoch", "currentEpoch", "quorumSize", "size", "weightOf"}
# Their fields are what a step works with, and not what it knows.
NO_RECORDS = {"Rules", "BroadcastRules", "RecipeRules", "BasicContext", "Context", "ClientContext", "Hands", "HolderStep", "Walk",
              "Effects"}
A_RULE = re.compile(r"\brules_?\.|\brule ==")


def need(condition, message):
    if not condition:
        print(message, file=sys.stderr)
        sys.exit(2)


try:
    import clang.cindex as clang
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's path, for a Python that is not Debian's
    try:
        import clang.cindex as clang
    except ImportError:
        clang = None


# ---- the changes


class Mutant:
    """A change: texts for places of one file. `way` of an edit: value, bool (of a condition) or void (omitted)."""

    def __init__(self, file, function, line, kind, change, edits):
        self.file, self.function, self.line, self.kind = file, function, line, kind
        self.change, self.edits = change, edits
        self.number = None
        self.key = None


def words(text):
    text = re.sub(r"//[^\n]*", " ", text)
    return re.sub(r"\s+", " ", text).strip()


class Code:
    """Whose places are changed: what differs between families."""

    templates = False  # whether templates are changed, without the rules that need types

    def __init__(self, namespaces, prefix=""):
        self.namespaces, self.prefix = namespaces, prefix

    def name_of(self, path):
        return self.prefix + path.name

    def has_fields(self, file):
        """Whether fields of this file's structs are exchanged."""
        raise NotImplementedError

    def has_enumerators(self, file):
        raise NotImplementedError


class Parsed:
    """A source file, and the changes that its expressions allow."""

    def __init__(self, path, code, include, forced=(), parsed=None):
        """`code`: whose places are changed; `forced`: headers included first; `parsed`: a text of the same length as the file's, with
        types where the file has templates."""
        self.path, self.code = path, code
        self.text = path.read_text()
        assert self.text.isascii(), f"{path}: libclang counts bytes"
        assert parsed is None or len(parsed) == len(self.text)
        arguments = ["-x", "c++", "-std=c++20", "-Wno-pragma-once-outside-header", *(f"-I{one}" for one in include)]
        for one in forced:
            arguments += ["-include", str(one)]
        unit = clang.Index.create().parse(str(path), args=arguments, unsaved_files=[(str(path), parsed)] if parsed else None)
        errors = [str(one) for one in unit.diagnostics if one.severity >= clang.Diagnostic.Error]
        need(not errors, "\n".join(errors))
        self.mutants = []
        self.find_functions(unit.cursor)

    def source(self, where):
        return self.text[where[0]:where[1]]

    @staticmethod
    def where(cursor):
        return (cursor.extent.start.offset, cursor.extent.end.offset)

    def is_here(self, cursor):
        file = cursor.location.file
        return file is not None and file.name == str(self.path)

    def find_functions(self, cursor):
        kinds = clang.CursorKind
        functions = [kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.CONSTRUCTOR]
        scopes = [kinds.NAMESPACE, kinds.CLASS_DECL, kinds.STRUCT_DECL]
        if self.code.templates:
            functions.append(kinds.FUNCTION_TEMPLATE)
            scopes.append(kinds.CLASS_TEMPLATE)
        for child in cursor.get_children():
            if not self.is_here(child):
                continue
            if child.kind in functions:
                if child.is_definition() and child.spelling not in TELLS and not self.is_no_code(child):
                    self.function = child.spelling
                    self.scopes = []
                    self.visit_function(child)
            elif child.kind in scopes:
                self.find_functions(child)

    def is_no_code(self, function):
        """What a macro defines, what is computed when it is compiled, and what only passes an effect on."""
        text = self.source(self.where(function))
        if "{" not in text or text.startswith("BOOST_") or re.match(r"(template <[^>]*>\s*)?((static|inline|friend) )*constexpr\b", text):
            return True
        return function.spelling in EFFECTS and self.path.suffix == ".h" and re.search(r"\bout\.(push|emplace)_back", text) is not None

    def add(self, cursor, kind, change, edits):
        self.mutants.append(Mutant(self.code.name_of(self.path), self.function, cursor.extent.start.line, kind, words(change), edits))

    def replace(self, cursor, kind, text, way="value", where=None, said=None):
        where = where or self.where(cursor)
        old = self.source(where)
        if text != old:
            self.add(cursor, kind, f"{said or words(old)} -> {words(text)}", [(where, way, text)])

    # -- a function's body

    def visit_function(self, function):
        self.variables = []  # (name, type, where it is declared, end of its scope)
        body_end = function.extent.end.offset
        self.note_variables(function, body_end)
        for child in function.get_children():
            if child.kind.is_statement() or child.kind.is_expression():
                self.visit(child, function, in_timer=False)

    def note_variables(self, cursor, scope_end):
        kinds = clang.CursorKind
        for child in cursor.get_children():
            end = scope_end
            if child.kind in (kinds.COMPOUND_STMT, kinds.FOR_STMT, kinds.CXX_FOR_RANGE_STMT, kinds.IF_STMT,
                              kinds.LAMBDA_EXPR):
                end = child.extent.end.offset
            if child.kind in (kinds.PARM_DECL, kinds.VAR_DECL) and child.spelling:
                self.variables.append((child.spelling, self.plain(child.type), child.extent.end.offset, scope_end))
            self.note_variables(child, end)

    def plain(self, kind):
        name = kind.get_pointee().spelling if kind.kind in (clang.TypeKind.LVALUEREFERENCE,) else kind.spelling
        name = re.sub(r"^const ", "", name)
        for namespace in self.code.namespaces:
            name = name.replace(namespace, "")
        return name

    @staticmethod
    def core(cursor):
        """Below the conversions that libclang does not name."""
        while cursor.kind == clang.CursorKind.UNEXPOSED_EXPR:
            inner = [one for one in cursor.get_children()]
            same = [one for one in inner if Parsed.where(one) == Parsed.where(cursor)]
            if not same:
                return cursor
            cursor = same[0]
        return cursor

    def expressions(self, cursor):
        """Every expression below, by its place: the innermost one that is not a conversion."""
        found = {}

        def walk(one):
            for child in one.get_children():
                if child.kind.is_expression() and self.is_here(child):
                    found[self.where(child)] = child
                walk(child)

        walk(cursor)
        return found

    def operands(self, cursor, operators):
        """(left, operator, right) of an expression, also where C++20 rewrote it in terms of <=>."""
        start, end = self.where(cursor)
        below = self.expressions(cursor)
        lefts = [where for where in below if where[0] == start and where[1] < end]
        rights = [where for where in below if where[1] == end and where[0] > start]
        for left in lefts:
            for right in rights:
                if left[1] <= right[0]:
                    between = self.text[left[1]:right[0]].strip()
                    if between in operators:
                        return self.core(below[left]), between, self.core(below[right])
        return None

    def is_statement(self, cursor, parent):
        kinds = clang.CursorKind
        if not re.match(r"\s*;", self.text[cursor.extent.end.offset:]):
            return False
        if parent.kind in (kinds.COMPOUND_STMT, kinds.CASE_STMT, kinds.DEFAULT_STMT):
            return True
        if parent.kind in (kinds.IF_STMT, kinds.CXX_FOR_RANGE_STMT, kinds.FOR_STMT, kinds.WHILE_STMT):
            before = self.text[:cursor.extent.start.offset].rstrip()
            return before.endswith(")") or before.endswith("else")
        return False

    def visit(self, cursor, parent, in_timer):
        kinds = clang.CursorKind
        if not self.is_here(cursor) or (cursor.kind == kinds.CALL_EXPR and cursor.spelling in TELLS):
            return
        if cursor.kind.is_expression() and cursor.kind != kinds.UNEXPOSED_EXPR:
            self.visit_expression(cursor, parent, in_timer)
        elif cursor.kind == kinds.UNEXPOSED_EXPR and self.core(cursor).kind == kinds.UNEXPOSED_EXPR:
            self.turn(cursor)  # a comparison that was rewritten
        if cursor.kind == kinds.RETURN_STMT:
            self.visit_return(cursor)
        if cursor.kind in (kinds.IF_STMT, kinds.WHILE_STMT):
            self.visit_if(cursor)
        children = list(cursor.get_children())
        if cursor.kind == kinds.CASE_STMT:
            children = children[1:]
        if cursor.kind == kinds.VAR_DECL and self.source(self.where(cursor)).startswith("constexpr"):
            return
        if cursor.kind in (kinds.PARM_DECL, kinds.TYPE_REF, kinds.TEMPLATE_REF):
            return
        if cursor.kind == kinds.LAMBDA_EXPR:  # without its captures
            children = children[-1:]
        if cursor.kind == kinds.FOR_STMT:  # without its first lines: changes to them are seldom a protocol's error
            children = children[-1:]
        # A conversion, and a temporary, represent what is below them.
        above = parent if cursor.kind == kinds.UNEXPOSED_EXPR else cursor
        timer = in_timer or (cursor.kind == kinds.CALL_EXPR and cursor.spelling.startswith("setTimer"))
        for child in children:
            self.visit(child, above, timer)

    # -- the rules

    def visit_expression(self, cursor, parent, in_timer):
        kinds = clang.CursorKind
        where = self.where(cursor)
        text = self.source(where)
        if not text or where[0] == where[1]:
            return
        if cursor.kind in (kinds.BINARY_OPERATOR, kinds.CALL_EXPR, kinds.COMPOUND_ASSIGNMENT_OPERATOR):
            self.turn(cursor)
        if cursor.kind == kinds.BINARY_OPERATOR:
            self.drop_operand(cursor)
            self.arithmetic(cursor, in_timer)
        if cursor.kind == kinds.UNARY_OPERATOR and re.match("![^=]", text) and not A_RULE.search(text):
            self.replace(cursor, "condition", text[1:], "bool")
        if cursor.kind == kinds.CONDITIONAL_OPERATOR:
            self.conditional(cursor)
        if cursor.kind == kinds.INTEGER_LITERAL and text.isdigit() and not in_timer:
            self.replace(cursor, "off by one", str(int(text) + 1))
            if int(text) > 0:
                self.replace(cursor, "off by one", str(int(text) - 1))
        if cursor.kind == kinds.CALL_EXPR:
            self.call(cursor, in_timer)
        if cursor.kind in (kinds.CALL_EXPR, kinds.INIT_LIST_EXPR):
            self.swap_arguments(cursor)
        if cursor.kind == kinds.MEMBER_REF_EXPR:
            self.other_field(cursor, in_timer)
        if cursor.kind == kinds.DECL_REF_EXPR:
            self.other_name(cursor)
        if self.is_statement(cursor, parent):
            self.leave_out(cursor)

    def comparable(self, one):
        name = one.type.get_canonical().spelling
        return not ("iterator" in name or "*" in name or "lambda" in name)

    def turn(self, cursor):
        found = self.operands(cursor, TURNED)
        if not found or cursor.type.get_canonical().kind != clang.TypeKind.BOOL:
            return
        left, operator, right = found
        left_text, right_text = self.source(self.where(left)), self.source(self.where(right))
        if A_RULE.search(left_text + right_text):
            return
        if not self.comparable(left) or not self.comparable(right):
            # What is found is used after the comparison, so that only "not found" is safe; a search is a mere value.
            if "(" in left_text and "nullptr" not in right_text:
                self.replace(cursor, "comparison", f"{left_text} {TURNED[operator][0]} {right_text}")
            return
        kind = left.type.get_canonical().spelling
        ordered = "Zxid" in kind or kind.replace("const ", "") in ("long", "int", "unsigned long") or "LearnerStage" in kind
        for other in TURNED[operator] if ordered else TURNED[operator][:1]:
            self.replace(cursor, "comparison", f"{left_text} {other} {right_text}")

    def unsafe(self, text):
        """Whether it tests that something was found which is used later."""
        return re.search(r"\bfound\b|\bat ==|\basked ==|nullptr|own_word|\blearner == node\.learners", text)

    def drop_operand(self, cursor):
        found = self.operands(cursor, ("&&", "||"))
        if not found:
            return
        left, _, right = (self.source(self.where(found[0])), found[1], self.source(self.where(found[2])))
        for kept, dropped in ((left, right), (right, left)):
            if not A_RULE.search(dropped) and not self.unsafe(dropped):
                self.replace(cursor, "condition", kept, "bool")

    def arithmetic(self, cursor, in_timer):
        found = self.operands(cursor, ("+", "-"))
        if not found or in_timer or "string" in cursor.type.spelling or "Millis" in cursor.type.spelling:
            return
        if cursor.type.get_canonical().kind not in (clang.TypeKind.INT, clang.TypeKind.LONG, clang.TypeKind.ULONG):
            return
        left, operator, right = (self.source(self.where(found[0])), found[1], self.source(self.where(found[2])))
        self.replace(cursor, "off by one", f"{left} {'-' if operator == '+' else '+'} {right}")

    def conditional(self, cursor):
        condition, first, second = list(cursor.get_children())[:3]
        text = self.source(self.where(condition))
        if A_RULE.search(text) or self.unsafe(text):
            return
        for value in ("true", "false"):
            self.replace(self.core(condition), "condition", value, "bool", self.where(condition))

    def visit_if(self, cursor):
        condition = next(iter(cursor.get_children()))
        if not condition.kind.is_expression():
            return  # it declares something
        where = self.where(condition)
        if not re.search(r"\b(if|while) \($", self.text[:where[0]]) or self.text[where[1]] != ")":
            return
        text = self.source(where)
        if A_RULE.search(text) and not re.search(r"&&|\|\|", text):
            return
        values = ["false"] if cursor.kind == clang.CursorKind.WHILE_STMT else ["true", "false"]
        if self.unsafe(text):
            values = ["true"] if "==" in text else ["false"]
        for value in values:
            self.add(cursor, "condition", f"if ({text}) -> if ({value})", [(where, "bool", value)])

    def call(self, cursor, in_timer):
        where, text, name = self.where(cursor), self.source(self.where(cursor)), cursor.spelling
        if name in ("max", "min") and text.startswith("std::" + name):
            other = "min" if name == "max" else "max"
            self.replace(cursor, "comparison", f"std::{other}{text[5 + len(name):]}")
        if name in COUNTS and not in_timer and self.counts(cursor):
            self.replace(cursor, "off by one", f"{text} + 1")
            self.replace(cursor, "off by one", f"{text} - 1")
        if name in CONFUSED and text.endswith("()"):
            head = text[:-2]
            if head.endswith(name):
                self.replace(cursor, "exchange", f"{head[:-len(name)]}{CONFUSED[name]}()")
        if name in WEAKER and text.startswith("ctx." + name):
            self.replace(cursor, "effect", "ctx." + WEAKER[name] + text[len("ctx.") + len(name):], "void")

    @staticmethod
    def counts(cursor):
        kind = cursor.type.get_canonical().kind
        return kind in (clang.TypeKind.INT, clang.TypeKind.LONG, clang.TypeKind.ULONG, clang.TypeKind.LONGLONG)

    def swap_arguments(self, cursor):
        if cursor.kind == clang.CursorKind.CALL_EXPR:
            if cursor.spelling.startswith("operator") or not self.source(self.where(cursor)).endswith((")", "}")):
                return
            arguments = [one for one in cursor.get_arguments() if one is not None]
            if cursor.spelling in TELLS or cursor.spelling == "exchange":  # which writes to its first argument
                return
        else:
            arguments = list(cursor.get_children())
        for one, other in zip(arguments, arguments[1:]):
            places = [self.where(one), self.where(other)]
            texts = [self.source(place) for place in places]
            kinds = [self.plain(self.core(argument).type) for argument in (one, other)]
            if kinds[0] != kinds[1] or texts[0] == texts[1] or places[0][1] > places[1][0]:
                continue
            if any(not text or re.search(r"move|exchange|\+\+|^[{.]|begin\(\)|end\(\)", text) for text in texts):
                continue  # fields that an initializer names have their order
            if any(A_RULE.search(text) for text in texts):
                continue
            text = self.source((places[0][0], places[1][1]))
            self.add(cursor, "exchange", f"{words(self.head(cursor))}: {text} -> {texts[1]}, {texts[0]}",
                     [(places[0], "value", texts[1]), (places[1], "value", texts[0])])

    def head(self, cursor):
        return re.split(r"[({]", self.source(self.where(cursor)))[0] or "{}"

    def other_field(self, cursor, in_timer):
        where, text = self.where(cursor), self.source(self.where(cursor))
        field = cursor.referenced
        if field is None or field.kind != clang.CursorKind.FIELD_DECL or not text.endswith(cursor.spelling):
            return
        record = field.semantic_parent
        file = record.location.file
        if file is None or not self.code.has_fields(file.name) or record.spelling in NO_RECORDS:
            return
        if in_timer and record.spelling == "Config":
            return
        fields = [one for one in record.get_children() if one.kind == clang.CursorKind.FIELD_DECL]
        if not fields:  # of a template: libclang has them at its declaration
            template = clang.conf.lib.clang_getSpecializedCursorTemplate(record)
            fields = [one for one in template.get_children() if one.kind == clang.CursorKind.FIELD_DECL]
            field = next(one for one in fields if one.spelling == field.spelling)
        names = [one.spelling for one in fields if one.type.spelling == field.type.spelling]
        at = names.index(field.spelling)
        for other in {names[(at + 1) % len(names)]: None, names[at - 1]: None}:
            if other != field.spelling:
                self.replace(cursor, "exchange", text[:-len(field.spelling)] + other)
        if "epoch" in field.spelling and field.type.spelling in ("std::int64_t", "int64_t") and not self.is_assigned(where):
            self.replace(cursor, "off by one", f"{text} + 1")
            self.replace(cursor, "off by one", f"{text} - 1")
        if field.spelling == "self":
            self.other_variable(cursor, "ServerId", text)

    def is_assigned(self, where):
        return re.match(r"\s*=[^=]", self.text[where[1]:where[1] + 10])

    def other_name(self, cursor):
        target = cursor.referenced
        text = self.source(self.where(cursor))
        if target is None:
            return
        if target.kind == clang.CursorKind.ENUM_CONSTANT_DECL:
            kind = target.semantic_parent
            file = kind.location.file
            if file is None or not self.code.has_enumerators(file.name) or "::" not in text:
                return
            names = [one.spelling for one in kind.get_children()]
            at = names.index(target.spelling)
            head = text[:text.rindex("::") + 2]
            for other in {names[(at + 1) % len(names)]: None, names[at - 1]: None}:
                if other != target.spelling:
                    self.replace(cursor, "exchange", head + other)
        elif target.kind in (clang.CursorKind.PARM_DECL, clang.CursorKind.VAR_DECL) and text == target.spelling:
            kind = self.plain(target.type)
            if kind in ("Context", "auto") or "lambda" in kind or "iterator" in kind or "*" in kind or "Rules" in kind:
                return
            self.other_variable(cursor, kind, text)
            if kind == "ServerId" and self.visible(cursor, "Context"):
                self.replace(cursor, "exchange", "ctx.node.self")

    def visible(self, cursor, kind):
        at = cursor.extent.start.offset
        return [name for name, type_, begin, end in self.variables if type_ == kind and begin < at < end]

    def other_variable(self, cursor, kind, text):
        for other in list(dict.fromkeys(reversed(self.visible(cursor, kind))))[:2]:
            if other != text:
                self.replace(cursor, "exchange", other)

    def leave_out(self, cursor):
        where, text = self.where(cursor), self.source(self.where(cursor))
        core = self.core(cursor)
        name = core.spelling if core.kind == clang.CursorKind.CALL_EXPR else ""
        if name in TELLS:
            return
        if core.kind == clang.CursorKind.CALL_EXPR and name not in ("operator=", "operator++"):
            if AN_EFFECT.match(text) and name in EFFECTS:
                kind = "effect"
            elif name in CHANGES_A_CONTAINER:
                kind = "assignment"
            else:
                kind = "call"
        else:
            kind = "assignment"
        self.add(cursor, kind, f"left out: {text}", [(where, "void", "")])

    def visit_return(self, cursor):
        children = list(cursor.get_children())
        if not children or children[0].type.get_canonical().kind != clang.TypeKind.VOID:
            return
        core = self.core(children[0])
        if core.kind == clang.CursorKind.CALL_EXPR and core.spelling not in TELLS:
            text = self.source(self.where(core))
            kind = "effect" if AN_EFFECT.match(text) else "call"
            self.add(cursor, kind, f"left out: {text}", [(self.where(core), "void", "")])

    # -- the changed text

    def render(self, mutants):
        """The file with every mutant's alternative in it; each on a separate line, so that errors show to which one they belong."""
        edits = collections.defaultdict(list)
        for mutant in mutants:
            for where, way, text in mutant.edits:
                edits[where].append((mutant.number, way, text))
        places = sorted(edits, key=lambda where: (where[0], -where[1]))

        def inside(begin, end, index):
            parts, at = [], begin
            while index < len(places) and places[index][0] < end:
                where = places[index]
                assert at <= where[0] and where[1] <= end, (self.path, where, self.source(where))
                parts.append(self.text[at:where[0]])
                text, index = place(index)
                parts.append(text)
                at = where[1]
            parts.append(self.text[at:end])
            return "".join(parts), index

        def place(index):
            where = places[index]
            text, after = inside(where[0], where[1], index + 1)
            here = edits[where]
            if any(way == "bool" for _, way, _ in here):
                text = f"static_cast<bool>({text})"
            values = [(number, f"static_cast<bool>({new})" if way == "bool" else new)
                      for number, way, new in here if way != "void"]
            for number, new in values:
                text = f"(\n(zablab_mutant::is({number})) /*{number}*/ ? ({words(new)})\n : {text})"
            for number, way, new in here:
                if way == "void":
                    instead = f"static_cast<void>({words(new)})" if new else "void()"
                    text = f"(\n(zablab_mutant::is({number})) /*{number}*/ ? {instead}\n : static_cast<void>({text}))"
            return text, after

        text, _ = inside(0, len(self.text), 0)
        return '#include "protocol/mutant.h"\n' + text


def keys_of(mutants):
    """Each is named by what it changes and where, so that a name remains valid after edits elsewhere."""
    seen = collections.Counter()
    for one in mutants:
        name = f"{one.file} {one.function}: {one.change}"
        seen[name] += 1
        one.key = name if seen[name] == 1 else f"{name} (place {seen[name]})"


def unique(mutants):
    seen, kept = set(), []
    for one in mutants:
        name = tuple(sorted((where, words(text)) for where, _, text in one.edits))
        if name not in seen:
            seen.add(name)
            kept.append(one)
    return kept


# ---- the sample


def draw(mutants, count, seed):
    """Distributes the sample over kinds and files: one of each in turn, in drawn order, and no place twice while there are others."""
    source = random.Random(seed)
    strata = collections.defaultdict(lambda: collections.defaultdict(list))
    for one in mutants:
        strata[one.kind, one.file][one.edits[0][0]].append(one)
    queues = []
    for name in sorted(strata):
        places = [strata[name][place] for place in sorted(strata[name])]
        for place in places:
            source.shuffle(place)
        source.shuffle(places)
        rounds = max(len(place) for place in places)
        queues.append([place[i] for i in range(rounds) for place in places if i < len(place)])
    sample = []
    while len(sample) < count and any(queues):
        source.shuffle(queues)
        for queue in queues:
            if queue and len(sample) < count:
                sample.append(queue.pop(0))
    return sample
