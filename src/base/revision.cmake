# cmake -DSOURCE=DIR -DOUTPUT=FILE -P revision.cmake: writes what DIR's git checkout is at into FILE,
# which stays as it is when that has not changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty
                OUTPUT_VARIABLE REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT REVISION)
  set(REVISION unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "base/version.h"

namespace storage_probe {
std::string_view revision() { return "@REVISION@"; }
}  // namespace storage_probe
]] @ONLY)
