# SPDX-License-Identifier: Apache-2.0
# One build of the MPI programs for every MPI library that this machine can compile for.
#
# FindMPI knows one MPI per build tree, therefore the compiler wrappers are asked directly: `-show` is understood by Open
# MPI's and by MPICH's, and prints the command line that the wrapper would run.
#
#   FAIRLEAD_MPI_FLAVOURS            global property: the flavours found, e.g. "openmpi;mpich"
#   fairlead_mpi::<flavour>          interface target with the flags of that flavour
#   fairlead_add_mpi_library(NAME)   what programs share, for each flavour
#   fairlead_add_mpi_program(NAME)   program for each flavour, installed to mpi/<flavour>/bin

include_guard(GLOBAL)

set(FAIRLEAD_MPI_WRAPPERS "" CACHE STRING
    "Further MPI compiler wrappers, as flavour=path separated by semicolons, e.g. openmpi5=/opt/ompi5/bin/mpicxx")
set(FAIRLEAD_MPI_RPATH "" CACHE STRING
    "Where installed MPI programs look for their MPI library (default: where it was when they were built)")

# Reads the flags of WRAPPER into the interface target fairlead_mpi::FLAVOUR.
function(_fairlead_mpi_target flavour wrapper)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE line ERROR_VARIABLE problem RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "MPI flavour ${flavour}: `${wrapper} -show` failed: ${problem}")
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  add_library(fairlead_mpi_${flavour} INTERFACE)
  add_library(fairlead_mpi::${flavour} ALIAS fairlead_mpi_${flavour})
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)$")
      target_include_directories(fairlead_mpi_${flavour} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)$")
      target_link_directories(fairlead_mpi_${flavour} INTERFACE ${CMAKE_MATCH_1})
      set_property(TARGET fairlead_mpi_${flavour} APPEND PROPERTY FAIRLEAD_LIBRARY_PATH ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l(mpi_cxx|mpicxx|mpichcxx)$")
      # The C++ bindings that MPI 3 removed: not used, and not present in every distribution.
    elseif(word MATCHES "^-(l|Wl,|pthread)")
      target_link_libraries(fairlead_mpi_${flavour} INTERFACE ${word})
    endif()
  endforeach()
  target_compile_definitions(fairlead_mpi_${flavour} INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endfunction()

# Adds FLAVOUR to the known ones and says which wrapper it comes from.
function(_fairlead_mpi_flavour flavour wrapper)
  get_property(known GLOBAL PROPERTY FAIRLEAD_MPI_FLAVOURS)
  if(flavour IN_LIST known)
    message(FATAL_ERROR "FAIRLEAD_MPI_WRAPPERS: flavour ${flavour} is taken; give ${wrapper} another name")
  endif()
  _fairlead_mpi_target(${flavour} ${wrapper})
  set_property(GLOBAL APPEND PROPERTY FAIRLEAD_MPI_FLAVOURS ${flavour})
  message(STATUS "MPI programs: flavour ${flavour} from ${wrapper}")
endfunction()

set(_wanted openmpi mpich)
if(DEFINED FAIRLEAD_MPI_PROGRAMS AND NOT FAIRLEAD_MPI_PROGRAMS)
  set(_wanted)  # without flavours fairlead_add_mpi_program adds nothing
endif()
foreach(_flavour IN LISTS _wanted)
  find_program(FAIRLEAD_MPICXX_${_flavour} mpicxx.${_flavour}
               DOC "C++ compiler wrapper of the MPI flavour ${_flavour}")
  if(FAIRLEAD_MPICXX_${_flavour})
    _fairlead_mpi_flavour(${_flavour} ${FAIRLEAD_MPICXX_${_flavour}})
  else()
    message(WARNING "MPI programs are NOT built for ${_flavour}: no mpicxx.${_flavour} in the PATH. "
                    "Install lib${_flavour}-dev, or give another wrapper with -DFAIRLEAD_MPI_WRAPPERS=${_flavour}=PATH.")
  endif()
endforeach()
foreach(_entry IN LISTS FAIRLEAD_MPI_WRAPPERS)
  if(NOT _entry MATCHES "^([a-z0-9_]+)=(/.+)$")
    message(FATAL_ERROR "FAIRLEAD_MPI_WRAPPERS: \"${_entry}\" is not flavour=/absolute/path/to/mpicxx")
  endif()
  _fairlead_mpi_flavour(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()

# Gives TARGET, of sources that call MPI, what it needs to be compiled for FLAVOUR. Each source by itself: those of a
# program may have helpers of the same name.
function(_fairlead_mpi_flags target flavour)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE fairlead_options fairlead_mpi::${flavour})
endfunction()

# fairlead_add_mpi_library(NAME SOURCES a.cpp ... [LIBRARIES target ...])
#
# What several programs share of MPI: the static library NAME_<flavour> for each flavour (mpi.h differs).
function(fairlead_add_mpi_library name)
  cmake_parse_arguments(library "" "" "SOURCES;LIBRARIES" ${ARGN})
  get_property(flavours GLOBAL PROPERTY FAIRLEAD_MPI_FLAVOURS)
  foreach(flavour IN LISTS flavours)
    add_library(${name}_${flavour} STATIC ${library_SOURCES})
    _fairlead_mpi_flags(${name}_${flavour} ${flavour})
    target_link_libraries(${name}_${flavour} PUBLIC ${library_LIBRARIES})
  endforeach()
endfunction()

# fairlead_add_mpi_program(NAME [FOR_DEMO] SOURCES a.cpp ... [LIBRARIES target ...] [MPI_LIBRARIES name ...])
#
# FOR_DEMO: the demo runs it. LIBRARIES are libraries without MPI, MPI_LIBRARIES those of fairlead_add_mpi_library.
function(fairlead_add_mpi_program name)
  cmake_parse_arguments(program "FOR_DEMO" "" "SOURCES;LIBRARIES;MPI_LIBRARIES" ${ARGN})
  get_property(flavours GLOBAL PROPERTY FAIRLEAD_MPI_FLAVOURS)
  foreach(flavour IN LISTS flavours)
    set(target ${name}_${flavour})
    add_executable(${target} ${program_SOURCES})
    _fairlead_mpi_flags(${target} ${flavour})
    list(TRANSFORM program_MPI_LIBRARIES APPEND "_${flavour}" OUTPUT_VARIABLE mpi_libraries)
    target_link_libraries(${target} PRIVATE ${mpi_libraries} ${program_LIBRARIES})
    get_target_property(library_path fairlead_mpi_${flavour} FAIRLEAD_LIBRARY_PATH)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/mpi/${flavour}/bin)
    if(FAIRLEAD_MPI_RPATH)
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "${FAIRLEAD_MPI_RPATH}")
    elseif(library_path)
      # An MPI outside the loader's directories (a wheel, /opt) is found without LD_LIBRARY_PATH.
      list(REMOVE_ITEM library_path ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "${library_path}")
    endif()
    if(program_FOR_DEMO)
      fairlead_install_for_demo(mpi/${flavour}/bin ${target})
    else()
      install(TARGETS ${target} DESTINATION mpi/${flavour}/bin)
    endif()
  endforeach()
endfunction()
