"""Examples of every command, which its `--help` shows: the words after `hdlgraph`."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "init": ("init", "init designs/soc --all"),
    "index": (
        "index",
        "index designs/soc --exclude 'vendor/**'",
        "index designs/soc -f soc.f --index /tmp/soc-index",
        "index --explain model --dry-run",
        "index designs/soc --documents --docs manuals",
    ),
    "search": (
        "search 'which unit splits a misaligned load in two?'",
        "search clock gating -k 5 --role rtl -v",
        "search 'interrupt priority' --format vimgrep",
        "search 'baud rate' --json",
        "search 'which bit enables parity' --kind register",
    ),
    "ask": (
        "ask 'what happens on a parity error?'",
        "ask --extractive 'how is the FIFO flushed?'",
    ),
    "chat": ("chat", "chat --role rtl -k 5"),
    "overview": ("overview", "overview --level 1"),
    "show": (
        "show uart_rx",
        "show uart_rx.clk_i",
        "show soc_pkg --json",
        "show uart_rx --config wide",
    ),
    "tree": ("tree", "tree soc_top --depth 5", "tree --config default"),
    "who": ("who fifo_sync", "who soc_pkg"),
    "path": ("path soc_top fifo_sync", "path uart_rx soc_pkg --limit 1"),
    "impact": (
        "impact fifo_sync",
        "impact soc_pkg --depth 2",
        "impact --parameter soc_top.WIDTH=64",
    ),
    "elaborate": (
        "elaborate",
        "elaborate --top soc_top -P WIDTH=64 -D SYNTHESIS --name wide",
        "elaborate --list",
    ),
    "trace": (
        "trace uart_rx.data_o",
        "trace soc_top.u_uart.rx_i --drivers --depth 4",
        "trace uart_rx.clk_i --loads --json",
    ),
    "fsm": ("fsm uart_rx", "fsm uart_rx --mermaid"),
    "registers": ("registers", "registers uart", "registers uart.CTRL.TX --json"),
    "unresolved": ("unresolved --kind module", "unresolved --syntax"),
    "read": ("read rtl/uart_rx.sv:40-60", "read rtl/uart_rx.sv --json"),
    "mcp": (
        "mcp designs/soc",
        "mcp --http --port 8766",
        "mcp --setup --client claude-code",
        "mcp --agents-md",
    ),
    "serve": ("serve", "serve --index designs/soc --port 0"),
    "lsp": ("lsp", "lsp --index designs/soc"),
    "slack": ("slack --index designs/soc", "slack --channel C0123456789"),
    "warm": ("warm --index designs/soc",),
    "watch": ("watch", "watch designs/soc --no-embeddings", "watch --poll --json"),
    "affected": (
        "affected --since origin/main --list testbenches",
        "affected --files changed.txt --json",
    ),
    "export": (
        "export soc.graphml",
        "export uart.svg --unit uart",
        "export soc.html --unit soc_top --depth 2",
        "export - --format mermaid --unit uart",
        "export parts.svg --overview",
    ),
    "explanations export": ("explanations export team.jsonl",),
    "explanations import": ("explanations import team.jsonl",),
    "explanations forget": (
        "explanations forget rtl/uart_rx.sv",
        "explanations forget --all",
    ),
    "eval run": (
        "eval run questions.jsonl --index designs/soc",
        "eval questions.jsonl -k 1,5 --out run.json",
    ),
    "eval suite": ("eval suite --out results",),
    "eval corpora": ("eval corpora ibex",),
    "eval table1": ("eval table1 questions.jsonl --index designs/soc",),
    "eval report": ("eval report run.json --out report.html",),
    "status": ("status", "status --index designs/soc --json"),
    "doctor": ("doctor", "doctor --parsers --limit 5"),
    "demo": ("demo",),
}
