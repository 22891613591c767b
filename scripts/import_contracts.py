"""An import contract that import-linter does not bring: modules held to the standard library.

Knows nothing of which modules those are; pyproject.toml names them.
"""

from __future__ import annotations

import sys
from typing import Any, cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class StandardLibraryOnly(Contract):
    """Let the listed modules import one another and the standard library, and nothing else.

    A listed module that does not exist is passed over, so that a contract may be written first.
    """

    type_name = "standard_library_only"

    modules = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Collect each import that leaves both the listed modules and the standard library."""
        # A field declares the option on the class and is replaced by its value on the instance.
        listed = cast("set[str]", self.modules)
        offences = [
            (importer, imported)
            for importer in sorted(listed & graph.modules)
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            if not self._is_allowed(imported, listed)
        ]
        lines = [
            f"{importer} -> {imported} (l.{detail['line_number']})"
            for importer, imported in offences
            for detail in graph.get_import_details(importer=importer, imported=imported)
        ]
        output.verbose_print(verbose, f"{len(lines)} imports leave the standard library.")
        return ContractCheck(kept=not lines, metadata={"lines": lines})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print one line for each offending import."""
        metadata: dict[str, Any] = check.metadata
        for line in metadata["lines"]:
            output.print_error(f"-   {line}", bold=False)
        output.new_line()

    @staticmethod
    def _is_allowed(imported: str, listed: set[str]) -> bool:
        return imported in listed or imported.partition(".")[0] in sys.stdlib_module_names
