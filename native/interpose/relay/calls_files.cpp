// SPDX-License-Identifier: Apache-2.0
// Files that several processes open. Collective calls on them are generated: all members come, then the library's. What
// one process reads or writes by itself waits for no other's call, and is the library's alone.
#include "relay/together.hpp"

namespace fairlead::relay {

ByHandle<MPI_File, Members> files;

namespace {

int file_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
    const auto open = library<decltype(file_open)>(Function::MPI_File_open);
    if (passes_by() || !has_to_meet(comm)) {
        return open(comm, name, mode, info, file);
    }
    int error = MPI_SUCCESS;
    const auto members = create_with_members(comm, error, [&] { return open(comm, name, mode, info, file); });
    if (members != nullptr) {
        files.put(*file, members);
    }
    return error;
}

int file_close(MPI_File* file) {
    const auto close = library<decltype(file_close)>(Function::MPI_File_close);
    const auto members = passes_by() ? nullptr : files.find(*file);
    if (members == nullptr) {
        return close(file);
    }
    files.remove(*file);  // the next one may have its handle
    const int error = together(members, [&] { return close(file); });
    PMPI_Comm_free(&members->comm);
    return error;
}

}  // namespace

void put_files(Table& table) {
    table.put(Function::MPI_File_open, file_open);
    table.put(Function::MPI_File_close, file_close);
}

}  // namespace fairlead::relay
