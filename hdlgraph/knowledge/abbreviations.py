"""Abbreviations that hardware designers put into identifiers, and their everyday words.

General vocabulary of RTL, processors, systems on chip and verification; a repository's own
"Long Form (LF)" comments add to it (`phrases.mine_long_forms`). Keys are identifier parts in
lower case, as `words.split_identifier` cuts them.
"""

from __future__ import annotations

_TABLE = """
# plurals and short everyday forms
accum=accumulate; addrs=addresses; bpred=branch predictor; bpredict=branch predictor; brnch=branch
buffd=buffered; bufs=buffers; bwd=backward; byp=bypass; calc=calculation; chksum=checksum
cmds=commands; cntl=control; cntrl=control; coeff=coefficient; comb=combinational
combo=combinational; concat=concatenation; ctrls=controls; dat=data; deq=dequeue; diff=difference
els=elements; enq=enqueue; equiv=equivalence; eval=evaluate; exec=execute
fifo=first-in first-out queue; flop=flip-flop; flops=flip-flops; fsm=state machine
i2c=I2C serial bus; i2s=I2S; immed=immediate; insns=instructions; instrs=instructions
intrs=interrupts; irqs=interrupt requests; ival=interval; jtag=JTAG; lookup=look-up; mems=memories
opnd=operand; opr=operand; oprnd=operand; orig=original; ovr=overrun; ovrd=override
pktz=packetise; prv=privilege; ptrs=pointers; ptw=page table walker; pwrdn=power-down
pwrup=power-up; ram=memory; rams=memories; rdt=read data; reqs=requests; rslt=result
rsps=responses; seqs=sequences; serdiv=serial divider; sigs=signals; snoopy=snooping
spi=SPI serial bus; sram=SRAM memory; srcs=sources; subsys=subsystem; tbl=table; thld=threshold
tics=ticks; txcnt=transmit counter; uart=UART serial port; unalloc=unallocated; unbuf=unbuffered
usb=USB; vect=vector; wgt=weight; xcpt=exception; xfr=transfer; zeroize=zeroise
# control and handshake
abi=calling convention; abrt=abort; ack=acknowledge; addr=address; adr=address; adv=advanced
alm=almost; alw=always; arready=read address ready
arst=asynchronous reset; arvalid=read address valid; aw=address width; awready=write address ready
awvalid=write address valid; bcnt=bit counter; bitmanip=bit manipulation
bready=write response ready; buf=buffer; bvalid=write response valid; cand=candidate
cdt=credit; ce=enable; cfg=configuration; cfi=control flow integrity; char=character
chars=characters; chn=channel; clmul=carry-less multiply; clr=clear; cls=class; cmd=command
cnsty=consistency; cnt=counter; cntr=counter; cond=condition; covergroup=coverage group
cplx=complex; crypto=cryptography; csb=chip select; ctl=control; ctr=counter
ctrl=control; ctrlr=controller; cur=current; curr=current; cyc=cycle; dbnc=debounce
dec=decode; decr=decrement; dest=destination; dflt=default; dis=disable
disab=disable; disp=dispatch; dit=data-independent timing; divu=unsigned divide
dst=destination; dw=data width; ecr=encryption; elem=element; elems=elements; en=enable
ena=enable; ent=entry; ents=entries; err=error; errs=errors; evt=event; exc=exception
excp=exception; f2i=float to integer; fcsr=floating-point control register
fdiv=floating-point divide; fetchfifo=fetch queue; fflags=floating-point flags; flt=fault
fpr=floating-point registers; fsqrt=floating-point square root; fw=firmware; gnt=grant
gpr=general-purpose registers; hdl=handle; hdlr=handler; hi=high; hndlr=handler
hro=hardware read-only; hw=hardware; i2f=integer to float
idecode=instruction decode; idx=index; iexec=execute; ifetch=instruction fetch; ill=illegal
inc=increment; incr=increment; inf=infinity; inflight=in flight; init=initialisation; ins=insert
intr=interrupt; inv=inverted; ioc=interrupt on completion; irq=interrupt request
isa=instruction set; iter=iteration; itr=iteration; kdf=key derivation; keyexp=key expansion
lcl=local; len=length; lsb=least significant bit; lst=last; lvl=level; max=maximum
mcu=microcontroller; mcycle=cycle counter; medeleg=exception delegation; mgmt=management
mgr=manager; mideleg=interrupt delegation; min=minimum; minstret=retired instruction counter
misalign=misaligned; mispredict=misprediction; mixcolumns=column mixing; msb=most significant bit
mscratch=scratch register; msk=mask; mubi=multi-bit boolean; mulh=multiply high; nan=not a number
neg=negative; nmi=non-maskable interrupt; nodata=no data; num=number; nxt=next
obj=object; oe=output enable; offs=offset; ofs=offset; ooo=out of order; opt=option
outstd=outstanding; ovf=overflow; ovfl=overflow; penable=peripheral enable; pend=pending
pmpaddr=memory protection address; pmpcfg=memory protection configuration; por=power-on reset
pready=peripheral ready; prev=previous; pri=priority; prio=priority; ptr=pointer
pul=pulse; qual=qualified; raddr=read address; rd=read; rdata=read data
rddata=read data; rden=read enable; rdptr=read pointer; rdreq=read request; rdy=ready
re=read enable; reg=register; regf=register file; regfile=register file; regs=registers
remu=unsigned remainder; ren=read enable; req=request; resp=response; resv=reserved; rev=revision
rf=register file; rma=return to manufacturer; ro=read-only; rptr=read pointer; rready=read ready
rs1=source register 1; rs2=source register 2; rsp=response; rst=reset; rstn=reset; rsvd=reserved
rtrn=return; rvalid=read valid; rw=read-write; rxf=receive queue; sched=scheduler; sel=select
seln=selection; sep=separate; sg=scatter-gather; shiftrows=row shifting; simm=immediate
src=source; srst=synchronous reset; stat=status; stats=statistics; stb=strobe
str=string; strb=strobe; sts=status; subbytes=byte substitution; subnorm=subnormal
sv32=two-level page tables; sv39=three-level page tables; sw=software; synth=synthesis; sz=size
tgl=toggle; tgt=target; thr=threshold; thresh=threshold; tie=tie-off
tlbi=translation invalidation; tlt=TileLink; tmp=temporary; trig=trigger
txf=transmit queue; ucode=microcode; udf=underflow; unalign=unaligned
undef=undefined; unsupp=unsupported; uop=micro-operation; upd=update; uvm=UVM; uvmf=UVM; val=valid
ver=version; vld=valid; w1c=write one to clear; waddr=write address; wd=width; wdata=write data
wdth=width; we=write enable; wen=write enable; wm=watermark; wmark=watermark; wmask=write mask
wo=write-only; wptr=write pointer; wr=write; wrdata=write data; wready=write ready
wren=write enable; wrptr=write pointer; wrreq=write request; wstrb=write strobe
wvalid=write valid; xlnx=Xilinx; yumi=consumed acknowledge; zba=bit manipulation
zbb=bit manipulation; zbc=carry-less multiply; zbs=single-bit instructions
# structures
adc=analogue-to-digital converter; adpt=adapter; alu=arithmetic logic unit; arb=arbiter
async=asynchronous; bcd=binary coded decimal; bin=binary; blk=block; brdg=bridge
cam=content-addressable memory; cdc=clock domain crossing; cg=clock gate; ch=channel; chan=channel
chk=checker; chkr=checker; clk=clock; clkgate=clock gate; clks=clocks; clz=count leading zeros
cmp=compare; conv=converter; crc=cyclic redundancy check; ctx=context; ctxt=context
cvt=convert; dac=digital-to-analogue converter; dbl=double; ddr=double data rate
demux=demultiplexer; desc=descriptor; dev=device; dff=flip-flop; div=divide; dll=delay-locked loop
dmux=demultiplexer; dpram=dual-port memory; dram=dynamic memory; dup=duplicate
ecc=error-correcting code; enc=encode; encr=encrypt; ext=external; ff=flip-flop; ffs=flip-flops
flit=flow control unit; fma=fused multiply-add; fp=floating point; fpu=floating-point unit
fwd=forward; fwding=forwarding; gen=generator; glbl=global; gray=gray code; grp=group; hdr=header
hst=host; icg=integrated clock gate; iface=interface; ifc=interface; intf=interface; intl=internal
io=input/output; itf=interface; lfsr=linear feedback shift register; lifo=last-in first-out stack
loc=local; lru=least recently used; lut=look-up table; lzc=leading zero counter
mem=memory; mst=master; mstr=master; mul=multiply; mult=multiply
mux=multiplexer; noc=network on chip; nvm=non-volatile memory; oh=one-hot; onehot=one-hot
osc=oscillator; otp=one-time programmable memory; padctrl=pad control; padring=pad ring
periph=peripheral; phy=physical layer; pinmux=pin multiplexer; pipe=pipeline
pkt=packet; pll=phase-locked loop; plru=pseudo least recently used; popcnt=population count
pwm=pulse-width modulation; pyld=payload; rdc=reset domain crossing; rom=read-only memory
rot=rotate; rr=round robin; rtr=router; rx=receive; rxd=receive data
secded=single error correction, double error detection; seg=segment; sgl=single; shdw=shadow
shft=shift; simd=single instruction multiple data; skid=skid buffer; slv=slave
spram=single-port memory; sqrt=square root; sr=shift register; sreg=shift register
subreg=register field; sync=synchroniser; tck=test clock; tdc=time-to-digital converter
tdpram=true dual-port memory; trx=transaction; tx=transmit
txd=transmit data; txn=transaction; vec=vector; xact=transaction; xbar=crossbar switch
xfer=transfer
# processors
abstractcs=abstract command; amo=atomic memory operation; apu=auxiliary processing unit
asid=address space identifier; backend=back end; bht=branch history table; bkpt=breakpoint
bpu=branch prediction unit; br=branch; brk=break; btb=branch target buffer
cce=cache coherence engine; cctl=cache control; clic=core-local interrupt controller
clint=core-local interrupt controller; cop=coprocessor; copro=coprocessor; cpu=processor
csr=control and status register; csrs=control and status registers
cvxif=coprocessor extension interface; dbg=debug; dcache=data cache; dep=dependency
dm=debug module; dmi=debug module interface; dret=debug return
dtlb=data translation lookaside buffer; dtm=debug transport module; ebreak=breakpoint instruction
ecall=environment call; epmp=enhanced physical memory protection; ex=execute; exu=execution unit
fe=front end; fpnew=floating-point unit; frontend=front end; fwdmux=forwarding multiplexer
hart=hardware thread; haz=hazard; hpm=hardware performance monitor; icache=instruction cache
idu=instruction decode unit; ifu=instruction fetch unit; imm=immediate; insn=instruction
inst=instruction; instr=instruction; iq=issue queue; ir=instruction register
itlb=instruction translation lookaside buffer; jal=jump and link; jalr=indirect jump; jmp=jump
lce=local cache engine; ld=load; ldq=load queue; lsu=load store unit; mcause=trap cause
mepc=exception program counter; mie=machine interrupt enable; mip=machine interrupt pending
misp=misprediction; mispred=misprediction; mmu=memory management unit; mret=trap return
mshr=miss status holding register; mstatus=machine status; mtime=machine timer
mtvec=trap vector base; npc=next program counter; op=operation; opa=operand A; opb=operand B
opc=opcode; ops=operations; pa=physical address; paddr=physical address; pc=program counter
perf=performance; pht=pattern history table; pic=programmable interrupt controller
plic=platform-level interrupt controller; pma=physical memory attributes
pmp=physical memory protection; ppn=physical page number; pred=prediction; priv=privilege
ptbr=page table base register; pte=page table entry; ras=return address stack; rob=reorder buffer
rvc=compressed instructions; rvfi=RISC-V formal interface
rvv=vector extension; satp=address translation; sba=system bus access
scb=scoreboard; spr=special purpose register; stq=store queue; tap=test access port
tcm=tightly coupled memory; tlb=translation lookaside buffer; uce=unified cache engine
va=virtual address; vaddr=virtual address; vm=virtual memory; vpn=virtual page number
wakeup=wake-up; wfi=wait for interrupt; xif=extension interface
# systems, buses, security
aes=AES encryption; ahb=AHB bus; aon=always-on; apb=APB bus; ast=analogue sensor top
ate=automatic test equipment; auth=authentication; axi=AXI bus; axil=AXI4-Lite bus
axis=AXI stream; baud=baud rate; bignum=big number; bist=built-in self test; bitstuff=bit stuffing
cbc=cipher block chaining; cfb=cipher feedback; clkmgr=clock manager; cred=credential
csrng=random number generator; cts=clear to send; dbus=data bus; descrmbl=descramble
dft=design for test; dma=direct memory access; dmem=data memory
drbg=deterministic random bit generator; ecb=electronic code book; ecdsa=elliptic curve signature
edn=entropy distribution network; efuse=fuses; eof=end of frame; eop=end of packet; esc=escalation
eth=Ethernet; fll=frequency-locked loop; gcm=Galois counter mode
gpio=general-purpose input/output; hmac=keyed hash message authentication; ibus=instruction bus
imem=instruction memory; integ=integrity; intg=integrity; ip=IP block; iso=isolation
iv=initialisation vector; keccak=Keccak permutation; keymgr=key manager
kmac=keccak message authentication; lbist=logic self test; lc=life cycle
mbist=memory built-in self test; mii=Ethernet media interface; miso=master in slave out
mosi=master out slave in; muxed=multiplexed; nack=negative acknowledge; nrzi=NRZI line coding
obi=OBI bus; ofb=output feedback; pcie=PCI Express; perm=permission; pid=packet identifier
prim=primitive; prince=PRINCE cipher; prng=pseudo-random number generator; prot=protection
puf=physically unclonable function; pwr=power; pwrmgr=power manager; qspi=quad SPI
regwen=register write enable; rng=random number generator; rsa=RSA; rstmgr=reset manager
rtc=real-time clock; rts=ready to send; sbox=substitution box; scanmode=scan mode
sck=serial clock; scl=serial clock line; sclk=serial clock; scrmbl=scramble; sda=serial data line
sdio=SD card interface; sec=security; sha2=SHA-2 hash; sha=SHA hash; soc=system on chip
sof=start of frame; sop=start of packet; sys=system; tl=TileLink; tlul=TileLink bus
tmpr=tamper; tmr=timer; tok=token; trng=true random number generator; ul=uncached lightweight
upf=power intent; usbdev=USB device; wdog=watchdog; wdr=wide data register; wdt=watchdog timer
wishbone=Wishbone; wkup=wake-up; wshb=Wishbone; wsr=wide special register
# verification
agt=agent; alloc=allocate; arch=architecture; asrt=assertion; assert=assertion
assoc=associativity; attr=attribute; avg=average; bcast=broadcast; bfm=bus functional model
bkdr=backdoor; blackbox=black box; bnk=bank; capt=capture
cb=clocking block; cin=carry in; coh=coherence; conn=connectivity; cosim=co-simulation
cout=carry out; cov=coverage; csrtest=register test; dealloc=deallocate
ded=double error detection; defines=definitions; defs=definitions; det=detect; detec=detect
dir=direction; dly=delay; dpi=C function interface; drv=driver; dur=duration
dut=design under test; env=environment; eq=equal; excl=exclusive; fcov=functional coverage
filt=filter; flg=flag; flsh=flush; fn=function; fpv=formal property verification; frac=fraction
freq=frequency; func=function; ge=greater or equal; gt=greater than; impl=implementation
ind=indication; inval=invalidate; iss=instruction set simulator; le=less or equal; lib=library
lt=less than; mant=mantissa; mdl=model; mon=monitor; msg=message; msgs=messages; ne=not equal
norm=normalise; param=parameter; params=parameters; pg=page; pkg=package
pow2=power of two; prod=product; prof=profiling; prog=program; quot=quotient; ral=register model
rand=random; ref=reference; rel=release; rem=remainder; repl=replacement; rnd=random; samp=sample
sat=saturate; scbd=scoreboard; sect=sector; seq=sequence; seqr=sequencer
sext=sign extension; sig=signal; sim=simulation; slp=sleep; smoke=smoke test; smpl=sample
snp=snoop; sqr=sequencer; stress=stress test; sva=assertions; tb=testbench
thrd=thread; tot=total; tout=timeout; trc=trace; trunc=truncate; txs=transactions; typ=type
util=utility; utils=utilities; uut=unit under test; vict=victim; vif=virtual interface
vip=verification component; vpi=simulator interface; vseq=virtual sequence
vseqr=virtual sequencer; wrap=wrapper; wrp=wrapper; zext=zero extension
"""


def _parse(table: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for line in table.splitlines():
        if line.startswith("#"):
            continue
        for entry in line.split(";"):
            key, found, words = entry.strip().partition("=")
            if found:
                pairs.setdefault(key, words)
    return pairs


ABBREVIATIONS: dict[str, str] = {
    key: words for key, words in sorted(_parse(_TABLE).items()) if key != words
}
"""Identifier part to everyday words; a word that stands for itself is not listed."""

NOISE = frozenset("u i o q d n p t e r w s nq no ni io qs de c li lo lp gp gen".split())
"""Direction, state and type markers that say nothing when words are wanted."""

ACRONYMS = frozenset(
    """aes ahb apb axi axi4 obi spi i2c uart usb jtag uvm csr fifo riscv risc sha hmac kmac lfsr crc
    ecc pmp tlb mmu alu fpu dma pwm adc rom ram sram otp gpio csrng edn bist pll pc id cpu api
    i2s pcie rsa rgb led fpga asic mac cam dsp xor rv32 rv64 rvfi hw lc ddr ip""".split()
)
"""Parts that are written in capitals when they stand in a sentence."""

PHRASES: dict[tuple[str, ...], str] = {
    ("if", "stage"): "instruction fetch stage",
    ("id", "stage"): "instruction decode stage",
    ("ex", "stage"): "execute stage",
    ("ex", "block"): "execution block",
    ("wb", "stage"): "writeback stage",
    ("wb", "mux"): "writeback multiplexer",
    ("cs", "registers"): "control and status registers",
    ("rd", "buf"): "read buffer",
    ("int", "status"): "interrupt status",
    ("int", "enable"): "interrupt enable",
    ("int", "en"): "interrupt enable",
    ("int", "req"): "interrupt request",
    ("int", "controller"): "interrupt controller",
    **{(bus, "be"): f"{bus} byte enable" for bus in ("data", "mem", "ram", "bus", "instr")},
    **{
        ("wb", leaf): f"Wishbone {word}"
        for leaf, word in (
            ("cyc", "cycle"),
            ("stb", "strobe"),
            ("ack", "acknowledge"),
            ("adr", "address"),
            ("dat", "data"),
            ("rdt", "read data"),
            ("sel", "select"),
            ("we", "write enable"),
            ("cti", "cycle type"),
            ("bte", "burst type"),
            ("rty", "retry"),
            ("bus", "bus"),
            ("arbiter", "arbiter"),
        )
    },
}
"""Neighbouring parts whose meaning only the pair tells."""

LAST = {
    "v": "valid",
    "cs": "chip select",
    "lo": "low",
}
"""Parts that have this meaning only at the end of an identifier."""

EVERYDAY = frozenset(
    """add all any ate bit bus cam char cop cross cycl dead del div dot end etc even ex fast
    find fix flat for form gen high inc ins iso key lib load log low main map mark mask max men
    meta min mod mode no non not num off ok oper out pad par per pic pin pop port post pre put
    raise rand ras rate read red ref reg rel rob sat sec sel self seq set shift sig sim sort sub
    sum sys tap temp test tie time top typ val van vet war was wrap""".split()
)
"""Short forms that are also words, or the beginning of many: in lower case they say little."""
