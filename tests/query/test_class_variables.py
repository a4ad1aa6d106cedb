"""`who` of a variable of a class lists the lines that mean it, and no line that means another."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

FILES = {
    "base.sv": """\
package base_pkg;
  class packet;
    rand int size;
    int unique_count;
    constraint c { size inside {[1:9]}; }
    function new(int size = 1);
      this.size = size;
      $display("size of a packet");  // size
    endfunction
    function int twice();
      return 2 * size;
    endfunction
    function int other();
      int size;
      size = 3;
      return size;
    endfunction
  endclass
  class long_packet extends packet;
    function void grow();
      size += 1;
    endfunction
  endclass
  class own_packet extends packet;
    int size;
    function void shrink();
      size -= 1;
    endfunction
  endclass
endpackage
""",
    "user.sv": """\
package user_pkg;
  import base_pkg::*;
  typedef struct {int size;} frame_t;
  class user;
    packet first;
    long_packet second;
    own_packet third;
    frame_t frame;
    task go();
      first.size = 1;
      second.size = third.size;
      frame.size = 2;
      find().unique_count++;
    endtask
  endclass
endpackage
""",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("variables"), FILES)


def told(project: Project, name: str) -> list[tuple[str, str, str]]:
    return [
        (one["location"], one["user_name"], one["resolved"]) for one in project.who(name)["users"]
    ]


def test_own_lines_those_of_subclasses_and_of_handles(project: Project) -> None:
    assert told(project, "packet.size") == [
        ("base.sv:5", "packet", "unique"),
        ("base.sv:7", "packet", "unique"),
        ("base.sv:11", "packet", "unique"),
        ("base.sv:21", "long_packet", "unique"),
        ("user.sv:10", "user", "unique"),
        ("user.sv:11", "user", "unique"),
    ]


def test_a_variable_that_is_declared_again_is_another_one(project: Project) -> None:
    assert told(project, "own_packet.size") == [
        ("base.sv:27", "own_packet", "unique"),
        ("user.sv:11", "user", "unique"),
    ]


def test_a_handle_that_nothing_tells_is_a_candidate_of_a_name_that_stands_alone(
    project: Project,
) -> None:
    assert told(project, "packet.unique_count") == [("user.sv:13", "user", "candidate")]


def test_the_limit_counts_these_lines_as_well(project: Project) -> None:
    found = project.who("packet.size", 2)
    assert (len(found["users"]), found["total"]) == (2, 6)
