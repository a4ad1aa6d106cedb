package pulse_reg_pkg;
  typedef struct packed {
    struct packed { logic q; } en;
    struct packed { logic [7:0] q; } step;
  } pulse_reg2hw_ctrl_reg_t;
  typedef struct packed { logic [31:0] q; } pulse_reg2hw_limit_mreg_t;
  typedef struct packed {
    struct packed { logic q; } done;
    struct packed { logic q; } late;
  } pulse_reg2hw_intr_enable_reg_t;
  typedef struct packed {
    pulse_reg2hw_intr_enable_reg_t intr_enable;
    pulse_reg2hw_ctrl_reg_t ctrl;
    pulse_reg2hw_limit_mreg_t [2:0] limit;
  } pulse_reg2hw_t;
  typedef struct packed {
    struct packed { struct packed { logic [7:0] d; } level; } status;
  } pulse_hw2reg_t;
  parameter logic [6:0] PULSE_CTRL_OFFSET = 7'h c;
  parameter logic [6:0] PULSE_LIMIT_0_OFFSET = 7'h 14;
endpackage
